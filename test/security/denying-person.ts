import { get } from 'node:http'
import type { AttentionItem } from '@clawboo/core/executor'
import type { AttackSetup } from './attack-setup.ts'

/** The person at the desk, who denies everything and leaves Eve's question unanswered. */
export function denyEverything({ server, attentionId }: AttackSetup): { stop(): void } {
  const { client, url, token } = server
  const deny = ({ id, kind, state }: AttentionItem) => {
    if (kind !== 'approval' || state !== 'open' || id === attentionId) return
    // A run that has ended meanwhile no longer waits for an answer.
    client.answerAttention({ params: { itemId: id }, body: { answer: 'deny' } }).catch(() => {})
  }
  let pending = ''
  const request = get(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (feed) =>
    feed
      .setEncoding('utf8')
      .on('error', () => {})
      .on('data', (chunk: string) => {
        const frames = (pending + chunk).split('\n\n')
        pending = frames.pop()!
        for (const frame of frames)
          if (frame.includes('event: attention-changed'))
            deny(JSON.parse(frame.slice(frame.indexOf('data: ') + 6)).item as AttentionItem)
      }),
  ).on('error', () => {})
  return { stop: () => void request.destroy() }
}
