import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Message } from '../../packages/server/src/integrations/native/session/message.ts'
import { openSession } from '../../packages/server/src/integrations/native/session/session.ts'
import { isSoak, testSeed } from '../seed.ts'
import { createRandom, type Random } from './random.ts'

const ROUNDS = isSoak ? 500 : 10
/** The number of rounds after which a new file starts, which limits the size of a file. */
const ROUNDS_PER_FILE = 5

const NOISE = '{"type":"mess'

interface Line {
  readonly type: string
  readonly id: string
  readonly message?: Message
}

test(
  `[NR321] ${ROUNDS} kills of a writer lose nothing that was acknowledged, and every call has its result`,
  async () => {
    const random = createRandom(testSeed)
    let written = 0
    for (let round = 0; round < ROUNDS; round += ROUNDS_PER_FILE) {
      const folder = await mkdtemp(join(tmpdir(), 'clawboo-kill-'))
      const acknowledged = new Set<string>()
      let damages = 0
      for (let kill = 0; kill < ROUNDS_PER_FILE; kill++) {
        if (kill % 3 === 2 && (await damageOneLine(folder))) damages++
        await writeUntilKilled(folder, random, acknowledged)
        await expectSound(folder, acknowledged, damages)
      }
      written += acknowledged.size
      await rm(folder, { recursive: true })
    }
    expect(written).toBeGreaterThan(0)
  },
  isSoak ? 1_800_000 : 120_000,
)

async function writeUntilKilled(folder: string, random: Random, acknowledged: Set<string>): Promise<void> {
  const program = join(import.meta.dirname, 'session-writer.ts')
  const child = spawn(process.execPath, [program, 'turns', folder, String(random.below(2 ** 31))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  const ended = once(child, 'close')
  // Some writers die while they open and repair the file, others during their work.
  if (random.below(4) > 0) await Promise.race([once(child.stdout, 'data'), ended])
  else await pause(100)
  await pause(random.below(250))
  child.kill('SIGKILL')
  await ended
  for (const line of printed.split('\n').slice(0, -1)) {
    for (const id of (JSON.parse(line) as { ids?: string[] }).ids ?? []) acknowledged.add(id)
  }
}

async function expectSound(folder: string, acknowledged: ReadonlySet<string>, damages: number): Promise<void> {
  const file = join(folder, 's.jsonl')
  const before = await readFile(file).catch(() => Buffer.alloc(0))
  const session = await openSession(folder, 's', { cwd: '/', now: Date.now })
  await session.close()
  expect(session.repaired.brokenLines).toBeLessThanOrEqual(damages)
  if (session.leafId === null) return expect([...acknowledged]).toEqual([])
  const after = await readFile(file)
  const wholeLines = before.subarray(0, before.lastIndexOf('\n') + 1)
  if (session.repaired.brokenLines === 0) expect(after.subarray(0, wholeLines.length).equals(wholeLines)).toBe(true)
  // Noise before a compaction that drops everything is never read, so it may stay.
  const lines = after
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== NOISE)
  const [header, ...entries] = lines.map((line) => JSON.parse(line) as Line)
  expect(header).toMatchObject({ type: 'session', version: 3 })
  const ids = new Set(entries.map(({ id }) => id))
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([])
  expectPaired(entries)
  expect((await readdir(folder)).filter((name) => !/^s\.jsonl(\.broken|\.bak|\.new)?$/.test(name))).toEqual([])
}

function expectPaired(entries: readonly Line[]): void {
  let waiting: string[] = []
  for (const { message } of entries) {
    if (!message) continue
    if (message.role === 'toolResult') {
      expect(waiting).toContain(message.toolCallId)
      waiting = waiting.filter((id) => id !== message.toolCallId)
    } else {
      expect(waiting).toEqual([])
      waiting = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))
    }
  }
  expect(waiting).toEqual([])
}

/** Inserts a line of noise before the last one, so that the next writer rewrites the file and may die during it. */
async function damageOneLine(folder: string): Promise<boolean> {
  const file = join(folder, 's.jsonl')
  const bytes = await readFile(file).catch(() => null)
  if (bytes === null) return false
  const at = bytes.lastIndexOf('\n', bytes.length - 2) + 1
  await truncate(file, at)
  await writeFile(file, Buffer.concat([Buffer.from(`${NOISE}\n`), bytes.subarray(at)]), { flag: 'a' })
  return true
}

test.skipIf(process.platform === 'win32')(
  '[NR306] refuses a write that the disk truncates, and the next write removes the remains',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clawboo-full-'))
    const program = join(import.meta.dirname, 'session-writer.ts')
    const limited = ['-c', 'ulimit -f 64 && exec "$@"', 'sh', process.execPath, program, 'full-disk', folder]
    const child = spawn('/bin/sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
    })
    await once(child, 'close')
    const { sound, cutShort, ...rest } = JSON.parse(printed) as Record<string, number>
    expect(rest).toEqual({
      long: 'store_unavailable',
      longAgain: 'store_unavailable',
      known: false,
      short: 'written',
      live: 3,
    })
    expect(cutShort).toBeGreaterThan(sound!)
    const session = await openSession(folder, 's', { cwd: '/', now: Date.now })
    await session.close()
    expect(session.repaired).toMatchObject({ unfinishedLine: false, brokenLines: 0 })
    expect(session.context().map(({ content }) => content[0])).toEqual(
      ['first', 'last', 'yes'].map((text) => ({ type: 'text', text })),
    )
    await rm(folder, { recursive: true })
  },
)
