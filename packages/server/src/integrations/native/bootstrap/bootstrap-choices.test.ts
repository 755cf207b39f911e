import { expect, test } from 'vitest'
import { chooseBootstrapFiles } from './bootstrap-file.ts'
import { type BootstrapFile, fitBootstrapFiles } from './fit-bootstrap-files.ts'
import { type RitualRun, ritualMode } from './ritual.ts'
import { describeShortened, truncationNotice } from './truncation-notice.ts'

const run = (overrides: Partial<RitualRun> = {}): RitualRun => ({
  withPerson: true,
  canReachFile: true,
  ...overrides,
})
const reportOf = (length: number, name = 'SOUL.md') => {
  const text = `# Rules\n${'x'.repeat(length - 8)}`
  const file: BootstrapFile = { name, path: `/w/${name}`, text, absence: null, bytes: length }
  return fitBootstrapFiles([file]).report
}

test('[NR4] files share the total in a fixed order, so memory loses its share first', () => {
  const files = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'BOOTSTRAP.md', 'MEMORY.md']
  expect(chooseBootstrapFiles({ ritualPending: true })).toEqual(files)
})

test('[NR15] BOOTSTRAP.md is in the prompt only while the ritual is pending, and HEARTBEAT.md never', () => {
  const files = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'MEMORY.md']
  expect(chooseBootstrapFiles({ ritualPending: false })).toEqual(files)
})

test('[NR12] the notice has three lines and is shown in every run, or once for each state of the files', () => {
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

test('[NR12] a session stores the last 32 states that it was warned about', () => {
  let seen: readonly string[] = []
  for (let more = 1; more <= 33; more++) seen = truncationNotice('once', reportOf(13_000 + more), seen).seen
  expect(seen).toHaveLength(32)
  expect(truncationNotice('once', reportOf(13_002), seen).lines).toEqual([])
  expect(truncationNotice('once', reportOf(13_001), seen).lines).toHaveLength(3)
})

test('[NR13] the person sees one line for every shortened or omitted file, with sizes, cause and lost sections', () => {
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

test('[NR28] the prompt describes a pending ritual in full to a run that can follow it, and not at all to a run without a person', () => {
  expect(ritualMode(true, run())).toBe('full')
  expect(ritualMode(false, run())).toBe('none')
  expect(ritualMode(true, run({ canReachFile: false }))).toBe('limited')
  expect(ritualMode(true, run({ withPerson: false }))).toBe('none')
  expect(ritualMode(true, run({ withPerson: false, canReachFile: false }))).toBe('none')
})
