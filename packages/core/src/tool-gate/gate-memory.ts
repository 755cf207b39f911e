/** The memory of a gate for one task. */
export interface GateMemory {
  /** The results that were read, as a person would call them. */
  readonly sources: string[]
  /** Values of outside text, by their spelling in `traceKey`. */
  readonly traces: Map<string, ValueTrace>
  /** Names that the person used or has, each with the first address seen under it. */
  readonly addressByName: Map<string, string>
  /** The person's answers in this task. */
  readonly allowed: Set<string>
  readonly denied: Set<string>
  /** True once a text was too long to read whole, or there were more values than are kept. */
  wasCut: boolean
  /** Whether the last call that was not only reading could run. */
  mayConfirm: boolean
}

export interface ValueTrace {
  /** Index in `sources` of the first result that contained it. */
  readonly source: number
  /** It first appeared as the content of a field, not in running text that may have told the agent to use it. */
  readonly isField: boolean
  /** Words of the person that name a thing and stand next to it. */
  readonly near: string[]
}

/** The same as JSON, so that a run can continue in another process. */
export interface GateState {
  readonly sources: readonly string[]
  readonly traces: readonly (readonly [string, ValueTrace])[]
  readonly addressByName: readonly (readonly [string, string])[]
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
  readonly wasCut: boolean
  readonly mayConfirm: boolean
}

export function openMemory(state: GateState | undefined): GateMemory {
  const copy = state && structuredClone(state)
  return {
    sources: [...(copy?.sources ?? [])],
    traces: new Map(copy?.traces),
    addressByName: new Map(copy?.addressByName),
    allowed: new Set(copy?.allowed),
    denied: new Set(copy?.denied),
    wasCut: copy?.wasCut ?? false,
    mayConfirm: copy?.mayConfirm ?? false,
  }
}

export function stateOf(memory: GateMemory): GateState {
  return structuredClone({
    sources: memory.sources,
    traces: [...memory.traces],
    addressByName: [...memory.addressByName],
    allowed: [...memory.allowed],
    denied: [...memory.denied],
    wasCut: memory.wasCut,
    mayConfirm: memory.mayConfirm,
  })
}
