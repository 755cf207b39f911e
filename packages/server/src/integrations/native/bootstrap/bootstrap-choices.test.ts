import { expect, test } from 'vitest'
import { chooseBootstrapFiles, type SessionKind } from './bootstrap-file.ts'
import { type BootstrapFile, fitBootstrapFiles } from './fit-bootstrap-files.ts'
import { type RitualRun, ritualMode } from './ritual.ts'
import { describeShortened, truncationNotice } from './truncation-notice.ts'

const session = (overrides: Partial<SessionKind> = {}): SessionKind => ({
  kind: 'normal',
  heartbeatsOn: true,
  ritualPending: false,
  ...overrides,
})
const run = (overrides: Partial<RitualRun> = {}): RitualRun => ({
  interactive: true,
  trigger: 'message',
  primary: true,
  canReachFile: true,
  ...overrides,
})
const reportOf = (length: number, name = 'SOUL.md') => {
  const text = `# Rules\n${'x'.repeat(length - 8)}`
  const file: BootstrapFile = { name, path: `/w/${name}`, text, absence: null, bytes: length }
  return fitBootstrapFiles([file]).report
}

test('[NR4] files share the total in their order, so that memory starves first', () => {
  expect(chooseBootstrapFiles(session({ ritualPending: true }))).toEqual([
    'AGENTS.md',
    'SOUL.md',
    'TOOLS.md',
    'IDENTITY.md',
    'USER.md',
    'HEARTBEAT.md',
    'BOOTSTRAP.md',
    'MEMORY.md',
  ])
})

test('[NR15] sub-agents and scheduled sessions get no heartbeat, ritual or memory', () => {
  for (const kind of ['sub-agent', 'cron'] as const) {
    expect(chooseBootstrapFiles(session({ kind, ritualPending: true }))).toEqual([
      'AGENTS.md',
      'SOUL.md',
      'TOOLS.md',
      'IDENTITY.md',
      'USER.md',
    ])
  }
})

test('[NR15] the heartbeat file is there while heartbeats are on; a lightweight run has it alone, or nothing', () => {
  const off = session({ heartbeatsOn: false })
  expect(chooseBootstrapFiles(off)).not.toContain('HEARTBEAT.md')
  expect(chooseBootstrapFiles(session())).toContain('HEARTBEAT.md')
  expect(chooseBootstrapFiles({ ...off, kind: 'heartbeat', lightweight: true })).toEqual(['HEARTBEAT.md'])
  expect(chooseBootstrapFiles({ ...session(), lightweight: true })).toEqual([])
})

test('[NR12] the notice has three lines, once per state of the files or on every turn', () => {
  const report = reportOf(13_000)
  const always = truncationNotice('always', report, [])
  expect(always.lines).toHaveLength(3)
  expect(always.lines[0]).toBe('[Bootstrap truncation warning]')
  expect(truncationNotice('always', report, always.seen).lines).toHaveLength(3)
  const once = truncationNotice('once', report, [])
  expect(once.lines).toHaveLength(3)
  expect(truncationNotice('once', report, once.seen).lines).toEqual([])
  expect(truncationNotice('once', reportOf(13_001), once.seen).lines).toHaveLength(3)
  expect(truncationNotice('off', report, []).lines).toEqual([])
  expect(truncationNotice('always', reportOf(12_000), []).lines).toEqual([])
})

test('[NR12] a session remembers the last 32 states it was warned of', () => {
  let seen: readonly string[] = []
  for (let more = 1; more <= 33; more++) seen = truncationNotice('once', reportOf(13_000 + more), seen).seen
  expect(seen).toHaveLength(32)
  expect(truncationNotice('once', reportOf(13_002), seen).lines).toEqual([])
  expect(truncationNotice('once', reportOf(13_001), seen).lines).toHaveLength(3)
})

test('[NR13] the person gets a line for every file that is not shown whole, with sizes, cause and lost sections', () => {
  const files: BootstrapFile[] = [
    ...['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'HEARTBEAT.md'].map(
      (name): BootstrapFile => ({
        name,
        path: `/w/${name}`,
        text: `# In ${name}\n${'x'.repeat(15_000)}`,
        absence: null,
        bytes: 1,
      }),
    ),
    { name: 'MEMORY.md', path: '/w/MEMORY.md', text: null, absence: 'too large', bytes: 3_000_000 },
  ]
  const lines = describeShortened(fitBootstrapFiles(files).report)
  expect(lines).toHaveLength(7)
  expect(lines[0]).toBe(
    'AGENTS.md: 11999 of 15015 characters shown, 20 % removed (max/file); lost: In AGENTS.md (in part)',
  )
  expect(lines[5]).toBe('HEARTBEAT.md: 0 of 15018 characters shown, 100 % removed (max/total); lost: In HEARTBEAT.md')
  expect(lines[6]).toBe('MEMORY.md (3000000 bytes) is left out: it is larger than 2 MiB')
})

test('[NR28] a pending ritual is told in full to the run that can follow it, and to no run without a person', () => {
  expect(ritualMode(true, run())).toBe('full')
  expect(ritualMode(false, run())).toBe('none')
  expect(ritualMode(true, run({ canReachFile: false }))).toBe('limited')
  for (const other of [
    { trigger: 'heartbeat' },
    { trigger: 'cron' },
    { primary: false },
    { interactive: false },
  ] as const) {
    expect(ritualMode(true, run({ ...other, canReachFile: false }))).toBe('none')
  }
})
