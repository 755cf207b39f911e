import { CHAIN_ORIGINS, type ExchangeState, HOP_LIMIT, OBLIGATION_REASONS } from './exchange-state.ts'

export type ExchangeReading =
  | { readonly ok: true; readonly state: ExchangeState }
  | { readonly ok: false; readonly problem: string }

/**
 * Parses a stored exchange. Strict: an extra, missing or wrong field is a problem, and so is a state that no events could
 * have produced. Never throws.
 */
export function readExchangeState(text: string): ExchangeReading {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'The state is not JSON.' }
  }
  const problem = STATE(value, 'state') ?? findContradiction(value as ExchangeState)
  return problem === null ? { ok: true, state: value as ExchangeState } : { ok: false, problem }
}

/** Returns the problem of a value; null = none. */
type Check = (value: unknown, place: string) => string | null

const id: Check = (value, place) => (typeof value === 'string' && value !== '' ? null : `${place} is not an id`)
const count: Check = (value, place) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : `${place} is not a count`
const hops: Check = (value, place) =>
  count(value, place) ?? ((value as number) <= HOP_LIMIT ? null : `${place} is above the limit`)
const flag: Check = (value, place) => (typeof value === 'boolean' ? null : `${place} is not a boolean`)
const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (value, place) =>
    allowed.includes(value) ? null : `${place} is not one of ${allowed.join(', ')}`
const orNull =
  (check: Check): Check =>
  (value, place) =>
    value === null ? null : check(value, place)

const list =
  (check: Check): Check =>
  (value, place) =>
    Array.isArray(value) ? first(value.map((item, at) => check(item, `${place}[${at}]`))) : `${place} is not a list`

const record = (fields: Readonly<Record<string, Check>>): Check => {
  const names = Object.keys(fields)
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${place} is not an object`
    const unknown = Object.keys(value).find((name) => !names.includes(name))
    if (unknown !== undefined) return `${place} has an unknown field`
    return first(
      names.map((name) =>
        Object.hasOwn(value, name)
          ? fields[name]!((value as Record<string, unknown>)[name], `${place}.${name}`)
          : `${place}.${name} is missing`,
      ),
    )
  }
}

const STATE = record({
  version: oneOf(1),
  exchangeId: id,
  teamId: id,
  participants: list(record({ agentId: id, isLeader: flag })),
  skipped: list(id),
  chains: list(record({ id, begunBy: oneOf(...CHAIN_ORIGINS), hops, ended: oneOf('stopped', 'repeat', null) })),
  obligations: list(
    record({
      id: count,
      agentId: id,
      because: oneOf(...OBLIGATION_REASONS),
      chainId: id,
      hops,
      postId: orNull(id),
      taskId: orNull(id),
    }),
  ),
  nextObligationId: count,
  turns: list(record({ id, agentId: id, chainId: id, hops, passed: flag })),
  lastPosts: list(record({ agentId: id, fingerprint: id })),
  halted: oneOf('aborted', 'budget_paused', null),
})

/** Checks that the fields of a state fit together. */
function findContradiction(state: ExchangeState): string | null {
  const { participants, skipped, chains, obligations, nextObligationId, turns, lastPosts } = state
  const members = new Set(participants.map(({ agentId }) => agentId))
  const open = new Set(chains.filter(({ ended }) => ended === null).map((chain) => chain.id))
  const known = new Set(chains.map((chain) => chain.id))
  return first([
    unique(
      'participants',
      participants.map(({ agentId }) => agentId),
    ),
    unique('skipped', skipped),
    unique(
      'chains',
      chains.map((chain) => chain.id),
    ),
    unique(
      'obligations',
      obligations.map((owed) => JSON.stringify([owed.agentId, owed.chainId])),
    ),
    unique(
      'turns',
      turns.map((turn) => turn.id),
    ),
    unique(
      'lastPosts',
      lastPosts.map(({ agentId }) => agentId),
    ),
    obligations.every((owed, at) => owed.id < (obligations[at + 1]?.id ?? nextObligationId))
      ? null
      : 'state.obligations are not in order',
    obligations.every(({ agentId }) => members.has(agentId) && !skipped.includes(agentId))
      ? null
      : 'state.obligations names an agent that cannot speak',
    obligations.every(({ chainId }) => open.has(chainId)) ? null : 'state.obligations names a chain that is not open',
    turns.every(({ chainId }) => known.has(chainId)) ? null : 'state.turns names an unknown chain',
  ])
}

function unique(name: string, values: readonly string[]): string | null {
  return new Set(values).size === values.length ? null : `state.${name} contains a duplicate`
}

function first(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null
}
