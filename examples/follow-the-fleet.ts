// Creates a Boo over HTTP and waits until the event feed reports it.
//
//   node examples/follow-the-fleet.ts http://127.0.0.1:18790 "$(cat ~/.clawboo/token)"
import assert from 'node:assert/strict'
import type { LiveEvent } from '@clawboo/api'
import { createClient } from '@clawboo/api/client'

const [baseUrl = '', token = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, token })

/** Yields server-sent events. A longer-lived program would store the `id:` lines and resume after the last. */
async function* follow(): AsyncGenerator<LiveEvent> {
  const response = await fetch(`${baseUrl}/api/events`, { headers: { authorization: `Bearer ${token}` } })
  let pending = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (pending + chunk).split('\n\n')
    pending = frames.pop()!
    for (const frame of frames) {
      const data = /^data: (\{"type".*)$/m.exec(frame)
      if (data) yield JSON.parse(data[1]!) as LiveEvent
      else if (frame.includes('event: feed-ready')) void client.createAgent({ body: { name: 'Echo' } })
    }
  }
}

for await (const event of follow()) {
  if (event.type !== 'agent-upserted') continue
  const { agents } = await client.listAgents({ query: { text: 'echo' } })
  assert.deepEqual(agents, [event.agent])
  console.log(`the feed reported ${event.agent.displayName}, and the fleet agrees`)
  break
}
process.exit(0)
