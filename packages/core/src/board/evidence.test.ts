import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DoneOverride, EVIDENCE_KINDS, type Evidence, findEvidenceProblem, judgeDone } from './evidence.ts'

const sha256 = 'a'.repeat(64)
const ada = { id: 'ada', name: 'Ada' }
const person = { kind: 'person', ...ada } as const
const host = { kind: 'host', id: 'host', name: 'host' } as const
const agent = { kind: 'agent', id: 'boo', name: 'Boo' } as const

const base = (at: number, id = `e${at}`) => ({ id, taskId: 't1', at })
const check = (at: number, exitCode: number | null = 0): Evidence => ({
  ...base(at, `c${at}-${exitCode}`),
  kind: 'check',
  command: 'npm test',
  exitCode,
})
const diff = (at: number): Evidence => ({ ...base(at), kind: 'diff', sha256 })
const artefact = (at: number): Evidence => ({ ...base(at), kind: 'artefact', sha256, path: 'out/a.txt' })
const signOff = (at: number): Evidence => ({ ...base(at, `s${at}`), kind: 'sign-off', person: ada })
const override = (more: Partial<DoneOverride> = {}): DoneOverride => ({
  by: person,
  reason: 'seen it',
  at: 50,
  ...more,
})

/** Returns the id of the evidence that counted, or the code of the refusal. */
function judged(evidence: readonly Evidence[], changedAt: number | null = 10): string {
  const verdict = judgeDone({ task: { id: 't1', changedAt }, evidence, override: null })
  return verdict.ok ? verdict.evidence!.id : verdict.code
}

describe('writing', () => {
  const all = [check(1), diff(1), artefact(1), signOff(1)]

  test('[BO24] the host writes observations, a person signs off, an agent writes nothing', () => {
    expect(all.map(({ kind }) => kind)).toEqual([...EVIDENCE_KINDS])
    const writable = (by: DoneOverride['by']) =>
      all.filter((evidence) => findEvidenceProblem(evidence, by) === null).map(({ kind }) => kind)
    expect(writable(host)).toEqual(['check', 'diff', 'artefact'])
    expect(writable(person)).toEqual(['sign-off'])
    expect(writable(agent)).toEqual([])
  })

  test('[BO24] refuses a sign-off for someone else or without a name', () => {
    expect(findEvidenceProblem(signOff(1), { ...person, id: 'bob' })).toMatch(/name the person who gives it/)
    expect(findEvidenceProblem(signOff(1), { ...person, name: 'Bob' })).toMatch(/must name/)
    expect(findEvidenceProblem({ ...base(1), kind: 'sign-off' } as Evidence, person)).toMatch(/must name/)
    const nameless: Evidence = { ...base(1), kind: 'sign-off', person: { id: 'ada', name: ' ' } }
    expect(findEvidenceProblem(nameless, person)).toMatch(/must name/)
    // An agent that uses a person's id is still an agent.
    expect(findEvidenceProblem(signOff(1), { ...agent, id: 'ada' })).toBe('An agent cannot write evidence.')
  })

  test('[BO24] refuses invalid evidence and names the problem', () => {
    const problem = (evidence: Partial<Record<string, unknown>>) =>
      findEvidenceProblem({ ...base(1), ...evidence } as Evidence, host)
    expect(problem({ kind: 'diff', sha256: 'ABC' })).toBe('A hash must have 64 hexadecimal digits.')
    expect(problem({ kind: 'diff' })).toBe('A hash must have 64 hexadecimal digits.')
    for (const path of ['', '/etc/passwd', '..', 'a/../../b', 'a\\..\\b', 'C:\\x', '\\\\host', 'a\0', 7])
      expect(problem({ kind: 'artefact', sha256, path })).toBe('An artefact needs a path within the task’s folder.')
    expect(problem({ kind: 'check', exitCode: 0.5 })).toBe('An exit code must be a number.')
    expect(problem({ kind: 'check', exitCode: null })).toBeNull()
    expect(problem({ kind: 'diff', sha256, at: Number.NaN })).toBe('Evidence needs a time.')
    expect(problem({ kind: 'promise' })).toBe('This kind of evidence does not exist.')
  })
})

describe('weighing', () => {
  test('[BO25] evidence counts only if it is at least as new as the newest change', () => {
    for (const kind of [check, diff, artefact, signOff]) {
      expect(judged([kind(9)])).toBe('evidence_stale')
      expect(judged([kind(10)])).toBe(kind(10).id)
      expect(judged([kind(9)], null)).toBe(kind(9).id)
      expect(judged([kind(9)], Number.NaN)).toBe('evidence_stale')
      expect(judged([{ ...kind(11), taskId: 'other' }])).toBe('evidence_missing')
      expect(judged([{ ...kind(11), at: Number.NaN }])).toBe('evidence_missing')
    }
    expect(judged([])).toBe('evidence_missing')
  })

  test('[BO26] the newest check decides, whatever other evidence there is', () => {
    expect(judged([check(11, 1)])).toBe('check_failed')
    expect(judged([check(11, null)])).toBe('check_failed')
    expect(judged([check(11), check(12, 1), diff(13), artefact(14)])).toBe('check_failed')
    expect(judged([check(11, 1), check(12)])).toBe('c12-0')
    expect(judged([check(11), check(11, 1)])).toBe('check_failed')
    expect(judged([check(5, 1), diff(13)])).toBe('check_failed')
  })

  test('[BO27] once a task has been checked, a diff or an artefact cannot replace the check', () => {
    expect(judged([check(9), diff(12), artefact(12)])).toBe('evidence_stale')
    expect(judged([diff(12), artefact(13)])).toBe('e13')
  })

  test('[BO28] a sign-off counts unless a change or a failed check is newer', () => {
    expect(judged([check(11, 1), signOff(11)])).toBe('s11')
    expect(judged([check(9), signOff(12)])).toBe('s12')
    expect(judged([signOff(11), check(12, 1)])).toBe('check_failed')
    expect(judged([signOff(9), diff(12)])).toBe('e12')
    expect(judged([signOff(9)])).toBe('evidence_stale')
  })
})

describe('overriding', () => {
  const decide = (claimed: DoneOverride, evidence: readonly Evidence[] = [check(12, 2)]) =>
    judgeDone({ task: { id: 't1', changedAt: 10 }, evidence, override: claimed })

  test('[BO29] a named person overrides with a reason, and the missing evidence is recorded', () => {
    expect(decide(override())).toEqual({
      ok: true,
      evidence: null,
      override: { by: person, reason: 'seen it', at: 50, lack: 'check_failed' },
    })
    expect(decide(override(), [check(12)])).toMatchObject({ ok: true, override: null })
  })

  test('[BO29] refuses an override by anyone else, or without a name or a reason', () => {
    const wrong = [
      override({ by: agent }),
      override({ by: host }),
      override({ by: { ...person, name: '' } }),
      override({ reason: ' ' }),
      override({ reason: 'x'.repeat(2001) }),
      override({ at: Number.NaN }),
    ]
    for (const claimed of wrong) expect(decide(claimed)).toMatchObject({ ok: false, code: 'override_refused' })
  })

  test('[BO30] only evidence as new as the newest change, or a person, marks a task done', () => {
    const time = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Number.NaN))
    const piece = fc.oneof(
      fc.tuple(time, fc.constantFrom(0, 1, null)).map(([at, exitCode]) => check(at, exitCode)),
      fc.tuple(time, fc.constantFrom(diff, artefact, signOff)).map(([at, make]) => make(at)),
    )
    const claimed = fc.constantFrom(null, override(), override({ by: agent }), override({ reason: '' }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.option(time), claimed, (evidence, changedAt, by) => {
        const task = { id: 't1', changedAt }
        const verdict = judgeDone({ task, evidence, override: by })
        if (!verdict.ok) expect(verdict.message).toMatch(/^[A-Z].*\.$/)
        else if (verdict.override) expect(verdict.override.by).toBe(person)
        else {
          expect(changedAt === null || verdict.evidence.at >= changedAt).toBe(true)
          expect(verdict.evidence).not.toMatchObject({ kind: 'check', exitCode: 1 })
        }
        expect(judgeDone({ task, evidence: evidence.toReversed(), override: by }).ok).toBe(verdict.ok)
      }),
    )
  })
})
