import type { Benchmark } from './harness.ts'
import { openMcpLoad } from './mcp-load.ts'
import { BODY } from './room-file.ts'

/** A post to a room over HTTP, stored and published, against a bare Hono POST with the same bytes. */
export const roomPostMcp: Benchmark = {
  name: 'room-post-mcp',
  unit: 'posts/s',
  bound: { atLeast: 0.25 },
  open: () => openMcpLoad('room-post-mcp-child.ts', 'team_chat_post', { body: BODY }),
}
