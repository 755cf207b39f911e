import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Shared by all processes that tests start: without it a short process spends most of its time compiling. */
export const COMPILE_CACHE =
  process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), `clawboo-test-compile-cache-${process.getuid?.() ?? 0}`)
