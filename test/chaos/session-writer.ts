import { writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { AssistantMessage } from '../../packages/server/src/integrations/native/session/message.ts'
import { openSession, type Session } from '../../packages/server/src/integrations/native/session/session.ts'
import { createRandom, type Random } from './random.ts'

/**
 * Writes to a session until it is killed, or until the disk is full, and prints each acknowledged write: `node
 * session-writer.ts turns|full-disk <folder> <seed>`.
 */
const [mode, folder, seed] = process.argv.slice(2)
const session = await openSession(folder!, 's', { cwd: '/', now: Date.now })
if (mode === 'turns') await writeTurns(session, createRandom(Number(seed)))
else await fillDisk(session)

async function writeTurns(session: Session, random: Random): Promise<never> {
  say({ opened: session.repaired })
  for (;;) {
    const messageId = `m${random.below(2 ** 31)}`
    await acknowledged(session, session.append(question(`q ${text(random)}`, messageId)))
    const ids = Array.from({ length: random.below(4) }, (_, n) => `c${n}`)
    await acknowledged(session, session.append(answer(text(random), ids)))
    for (const id of ids) {
      await acknowledged(session, session.append(toolResult(id, text(random)), { type: 'custom', customType: 'note' }))
    }
    await acknowledged(session, session.append(answer('done', []), question('steered', `s${messageId}`)))
    if (random.below(10) === 0) {
      const cuts = session.live().filter(({ message }) => message.role === 'user')
      const cut = cuts.at(-1 - random.below(3))?.entryId ?? null
      await session.compacted('in short', cut === session.lastCompaction?.entryId ? null : cut)
    }
    await session.sync()
  }
}

/** Runs with a file size limit, which truncates a write as a full disk does. */
async function fillDisk(session: Session): Promise<void> {
  const size = async () => (await stat(session.file)).size
  const tried = (work: Promise<unknown>) => work.then(() => 'written').catch((error: { code?: string }) => error.code)
  await session.append(question('first', 'm1'))
  const sound = await size()
  const long = await tried(session.append(question('x'.repeat(200_000), 'm2')))
  const cutShort = await size()
  const longAgain = await tried(session.append(question('y'.repeat(200_000), 'm3')))
  const known = session.hasMessage('m2') || session.hasMessage('m3')
  const short = await tried(session.append(question('last', 'm4'), answer('yes', [])))
  const live = session.context().length
  await session.close()
  say({ sound, long, cutShort, longAgain, known, short, live })
}

async function acknowledged(session: Session, append: Promise<readonly string[]>): Promise<void> {
  const ids = await append
  say({ ids, leafId: session.leafId })
}

function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Mostly short; sometimes so long that a kill may interrupt the write. */
function text(random: Random): string {
  return 'abc ü€🌍'.repeat(random.below(12) === 0 ? random.below(400_000) : random.below(40))
}

function question(content: string, messageId: string) {
  return { role: 'user', content: [{ type: 'text', text: content }], timestamp: 1, messageId } as const
}

function answer(content: string, callIds: readonly string[]): AssistantMessage {
  const calls = callIds.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { id } }) as const)
  return {
    role: 'assistant',
    content: [{ type: 'text', text: content }, ...calls],
    provider: 'demo',
    model: 'boo',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costUsd: 0 },
    stopReason: calls.length > 0 ? 'toolUse' : 'stop',
    timestamp: 1,
  }
}

function toolResult(toolCallId: string, content: string) {
  return {
    role: 'toolResult',
    toolCallId,
    toolName: 'read',
    content: [{ type: 'text', text: content }],
    isError: false,
    timestamp: 1,
  } as const
}
