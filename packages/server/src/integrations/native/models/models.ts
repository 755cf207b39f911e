import { type CallSubject, createModelCaller, keyFingerprint, modelRowOf, unlistedModel } from './call/model-caller.ts'
import {
  type CooldownEntry,
  type Cooldowns,
  chooseCandidates,
  clearProvider,
  coolingUntil,
  noCooldowns,
  noteFailure,
  noteProbe,
  noteSuccess,
} from './failover/cooldown.ts'
import { type Candidate, candidateChain } from './failover/failover.ts'
import { type ChainEvent, runChain } from './failover/run-chain.ts'
import { type RefContext, type ResolvedRef, resolveModelRef } from './model-ref.ts'
import type { ModelEvent, ModelRequest } from './model-request.ts'
import { checkKey, type KeyCheck, type KeyCheckDeps } from './providers/check-key.ts'
import type { ModelRow } from './providers/known-models.ts'
import {
  createProviderReader,
  type ModelsSettings,
  type ProviderReader,
  type ProviderState,
  type ProviderWithKey,
} from './providers/provider-reader.ts'

export interface ModelsDeps {
  /** null = no key is stored. Rejects if the stored key cannot be read. */
  readSecret(name: string): Promise<string | null>
  settings(): ModelsSettings | Promise<ModelsSettings>
  now(): number
  /** Called when a cooldown starts or ends. */
  cooldownsChanged?(): void
  readonly fetch?: typeof fetch
  /** Pause after each word of the demo model. */
  readonly demoWordDelayMs?: number
  /** A call fails after this much silence. Default: the provider's own limit. */
  readonly idleMs?: number
}

export interface CandidateRequest {
  /** As typed by a person; blank = the default. */
  readonly ref: string | null
  readonly chosenBy: 'person' | 'agent' | 'default' | 'fallback'
  /** The agent's own list, used exactly as given, even if empty. */
  readonly fallbacks?: readonly string[]
}

export interface CandidateList {
  readonly ok: true
  readonly chain: readonly Candidate[]
  /** A person's choice, which fails visibly. */
  readonly isStrict: boolean
  readonly warnings: readonly string[]
}

export type RefRefusal = Extract<ResolvedRef, { ok: false }>

export type Models = ReturnType<typeof createModels>

export interface RunOptions {
  readonly signal: AbortSignal
  readonly probed?: Set<string>
}

/** All models of one server: names, calls, failover and cooldowns. The state is in memory. */
export function createModels(deps: ModelsDeps) {
  const withFetch = { ...deps, fetch: deps.fetch ?? fetch }
  const providers = createProviderReader(withFetch)
  const caller = createModelCaller(withFetch)
  const cooldowns = createCooldownStore(() => deps.cooldownsChanged?.())

  async function* call(
    subject: CallSubject,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void> {
    const startedAt = deps.now()
    for await (const event of caller(subject, request, signal)) {
      if (event.type === 'done') cooldowns.set(noteSuccess(cooldowns.current, subject))
      if (event.type === 'failed' && subject.source?.state.isUsable)
        cooldowns.set(noteFailure(cooldowns.current, subject, event, startedAt, deps.now()))
      yield event
    }
  }

  return {
    resolve: async (ref: string | null): Promise<ResolvedRef> => resolveModelRef(ref, await providers.context()),
    candidates: async (request: CandidateRequest): Promise<CandidateList | RefRefusal> =>
      candidateList(request, await providers.context(), (await deps.settings()).fallbacks),
    /** The window and the prices of a model. */
    describe: async ({ provider, model }: Candidate): Promise<ModelRow> =>
      described(await providers.models(provider), model),
    /** Makes a call with retries and failover. Pass the same `probed` to all calls of a run. */
    async *run(
      { chain, isStrict }: CandidateList,
      request: ModelRequest,
      { signal, probed }: RunOptions,
    ): AsyncGenerator<ChainEvent, void> {
      const subjects = await Promise.all(chain.map((candidate) => subjectOf(candidate, providers)))
      const plan = chooseCandidates(subjects, cooldowns.current, deps.now(), { isStrict, probed })
      const probe = plan.ready.find(({ despiteCooldown }) => despiteCooldown === 'probe')
      if (probe !== undefined) {
        probed?.add(probe.subject.provider)
        cooldowns.set(noteProbe(cooldowns.current, probe.subject.provider, deps.now()))
      }
      yield* runChain(plan, {
        call: (subject) => call(subject, request, signal),
        cooling: (subject) => coolingUntil(cooldowns.current, subject, deps.now()),
        signal,
        now: deps.now,
      })
    },
    list: (): Promise<readonly ProviderState[]> => providers.all(),
    /** The active cooldowns; `model: null` = the key with all its models. */
    cooldowns: (): readonly Omit<CooldownEntry, 'key'>[] =>
      cooldowns.current.entries.filter(({ until }) => until > deps.now()).map(({ key: _, ...entry }) => entry),
    clearCooldowns: (provider: string): void => cooldowns.set(clearProvider(cooldowns.current, provider)),
    /** Tests a key before or after it is stored. A valid key ends the provider's cooldown. */
    async checkKey(provider: string, key: string): Promise<KeyCheck> {
      const check = await checkKeyOf(await providers.one(provider), key, withFetch)
      if (check.state === 'ok') cooldowns.set(clearProvider(cooldowns.current, provider))
      return check
    },
  }
}

/** Holds the current cooldowns and calls `changed` when an entry is added, replaced or removed. */
function createCooldownStore(changed: () => void) {
  let current = noCooldowns()
  return {
    get current() {
      return current
    },
    set(next: Cooldowns): void {
      const before = current.entries
      const isChanged = next.entries.length !== before.length || next.entries.some((entry, at) => entry !== before[at])
      current = next
      if (isChanged) changed()
    },
  }
}

function described(known: Awaited<ReturnType<ProviderReader['models']>>, model: string): ModelRow {
  return known === null ? unlistedModel(model, null) : modelRowOf(known, model)
}

async function checkKeyOf(source: ProviderWithKey | null, key: string, deps: KeyCheckDeps): Promise<KeyCheck> {
  if (source === null) return { state: 'unreachable', why: 'There is no such provider.' }
  return checkKey(source.state.row, key, deps)
}

async function subjectOf({ provider, model }: Candidate, providers: ProviderReader): Promise<CallSubject> {
  const source = await providers.one(provider)
  return { provider, model, key: keyFingerprint(source?.secret ?? null), source }
}

function candidateList(
  request: CandidateRequest,
  context: RefContext,
  configured: readonly string[],
): CandidateList | RefRefusal {
  const requested = resolveModelRef(request.ref, context)
  if (!requested.ok) return requested
  const warnings = requested.warning === null ? [] : [requested.warning]
  const known = (refs: readonly string[]) =>
    refs.flatMap((ref) => {
      const resolved = resolveModelRef(ref, context)
      if (!resolved.ok) warnings.push(`The fallback ${ref} is skipped. ${resolved.message}`)
      return resolved.ok ? [resolved] : []
    })
  const primary = resolveModelRef(null, context)
  const { chosenBy } = request
  const chain = candidateChain({
    requested,
    chosenBy,
    fallbacks: chosenBy === 'person' || chosenBy === 'agent' || request.fallbacks ? [] : known(configured),
    primary: primary.ok ? primary : null,
    ...(request.fallbacks === undefined ? {} : { ownFallbacks: known(request.fallbacks) }),
  }).map(({ provider, model }) => ({ provider, model }))
  return { ok: true, chain, isStrict: chosenBy === 'person', warnings }
}
