import { createHash } from 'node:crypto'
import type { ApprovalAnswer, AskedApproval, AttentionItem, GivenApproval } from '@clawboo/core/executor'
import type { RuntimeId } from '@clawboo/core/registry'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import { type Attention, attentionChanged } from './attention.ts'

export interface OutsideApprovalsDependencies {
  readonly store: Store
  readonly record: RecordChange
  readonly attention: Pick<Attention, 'watch' | 'onAnswer'>
  readonly now?: () => number
}

/** In the order in which they are offered. */
const ANSWERS = ['allow-once', 'allow-always', 'deny'] as const satisfies readonly ApprovalAnswer[]
/** How often one question is put anew: servers that see it come and go at different moments must not do so for ever. */
const MOST_TIMES = 100
const ANSWER_UNDER_WAY_MS = 60_000

/** What agents want to do in runs that this server did not begin: each is an attention item of no run. */
export function createOutsideApprovals({ store, record, attention, now = Date.now }: OutsideApprovalsDependencies) {
  return {
    /** What an earlier process asked expires in its time, also while its upstream is away. */
    start: async () => attention.watch(await store.attention.openOutside('')),
    of: (sourceId: RuntimeId) => ({
      /** From here on exactly these are asked. Resolves to those of them that a person has answered already. */
      async keep(asked: readonly AskedApproval[]): Promise<readonly GivenApproval[]> {
        const lock = `outside-approvals:${sourceId}`
        const kept = await record({ action: null, lock }, async (tx) => {
          const { found, inserted } = await openNew(tx, sourceId, asked, now())
          const items = [...found, ...inserted]
          const gone = await withdrawOthers(tx, sourceId, items, now())
          return { result: items, events: [...inserted, ...gone].map(attentionChanged) }
        })
        await attention.watch(kept.filter(({ state }) => state === 'open'))
        return kept.flatMap((item) => givenOf(sourceId, item))
      },
      /** Told once for every answer that is given from here on to what was kept here, on whichever server. */
      onAnswer: (listener: (given: GivenApproval) => void) =>
        attention.onAnswer((item) => {
          for (const given of givenOf(sourceId, item)) listener(given)
        }),
    }),
  }
}

/** An item is settled once: what was taken back and is asked again gets another one. */
async function openNew(tx: Repositories, sourceId: RuntimeId, asked: readonly AskedApproval[], at: number) {
  const found: AttentionItem[] = []
  const missing: { readonly itemId: string; readonly approval: AskedApproval }[] = []
  let rest = [...new Map(asked.map((approval) => [approval.id, approval])).values()]
  for (let time = 0; rest.length > 0 && time < MOST_TIMES; time++) {
    const ids = rest.map((approval) => itemIdOf(sourceId, approval, time))
    const items = new Map((await tx.attention.among(ids)).map((item) => [item.id, item]))
    rest = rest.filter((approval, index) => {
      const itemId = ids[index]!
      const item = items.get(itemId)
      if (!item) missing.push({ itemId, approval })
      else if (wasTakenBack(item)) return true
      else found.push(item)
      return false
    })
  }
  // A run that another server follows asks for itself, and its answer may be on its way.
  const inRuns = new Set(
    await tx.attention.askedInRuns(
      missing.map(({ approval }) => approval.id),
      at - ANSWER_UNDER_WAY_MS,
    ),
  )
  const wanted = missing.filter(({ approval: { id, expiresAt } }) => !inRuns.has(id) && (expiresAt ?? at + 1) > at)
  const ids = [...new Set(wanted.map(({ approval }) => approval.sourceAgentId))]
  const agents = new Map((await tx.agents.liveInSource(sourceId, ids)).map((agent) => [agent.sourceAgentId, agent]))
  const inserted: AttentionItem[] = []
  for (const { itemId, approval } of wanted) {
    const agent = agents.get(approval.sourceAgentId) ?? null
    const said = wordingOf(approval, agent?.displayName ?? approval.sourceAgentId)
    const about = { agentId: agent?.id ?? null, runId: null, subjectId: subjectOf(sourceId, approval.id) }
    inserted.push(
      await tx.attention.insert({
        ...{ id: itemId, kind: 'approval', createdAt: at, expiresAt: approval.expiresAt },
        ...about,
        ...said,
      }),
    )
  }
  return { found, inserted }
}

async function withdrawOthers(tx: Repositories, sourceId: RuntimeId, kept: readonly AttentionItem[], at: number) {
  const ids = new Set(kept.map(({ id }) => id))
  const open = await tx.attention.openOutside(subjectOf(sourceId, ''))
  return tx.attention.expire({ ids: open.flatMap(({ id }) => (ids.has(id) ? [] : [id])) }, at)
}

function wordingOf({ tool, command, cwd, reason, origin, answers }: AskedApproval, name: string) {
  const mayAlwaysAllow = answers.includes('allow-always')
  return {
    title: `${name} asks to run a command`,
    detail: `Asked outside Clawboo${origin === '' ? '' : ` (${origin})`}, because ${reason}.`,
    action: { tool, command, cwd, reason, mayAlwaysAllow },
    answers: ANSWERS.filter((answer) => answers.includes(answer)),
  }
}

function givenOf(sourceId: RuntimeId, { kind, runId, subjectId, state, answer }: AttentionItem): GivenApproval[] {
  const prefix = subjectOf(sourceId, '')
  if (kind !== 'approval' || runId !== null || state !== 'answered' || !subjectId?.startsWith(prefix)) return []
  return ANSWERS.filter((one) => one === answer).map((one) => ({ id: subjectId.slice(prefix.length), answer: one }))
}

/** Expired before its time, because nobody asked it for a while. */
function wasTakenBack({ state, settledAt, expiresAt }: AttentionItem): boolean {
  return state === 'expired' && (expiresAt === null || (settledAt ?? 0) < expiresAt)
}

function subjectOf(sourceId: RuntimeId, id: string): string {
  return `${sourceId}:${id}`
}

/**
 * The same on every server: two that are told of one question at once find or make one item. An answer counts for what
 * was asked: the same id with another command is another question.
 */
function itemIdOf(sourceId: RuntimeId, { id, sourceAgentId, tool, command, cwd }: AskedApproval, time: number): string {
  const question = JSON.stringify([sourceId, id, sourceAgentId, tool, command, cwd, time])
  return createHash('sha256').update(question).digest('hex').slice(0, 32)
}
