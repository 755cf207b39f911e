import { createHash } from 'node:crypto'
import type { ApprovalAnswer, AskedApproval, AttentionItem, GivenApproval } from '@clawboo/core/executor'
import type { RuntimeId } from '@clawboo/core/registry'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import { type Attention, attentionChanged } from './attention.ts'

interface OutsideApprovalsOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly attention: Pick<Attention, 'watch' | 'onAnswer'>
  readonly now?: () => number
}

/** In the order of the buttons. */
const ANSWERS = ['allow-once', 'allow-always', 'deny'] as const satisfies readonly ApprovalAnswer[]
/**
 * The maximum number of items for one question. Servers that see the question appear and disappear at different times
 * would otherwise create items forever.
 */
const MOST_TIMES = 100
const ANSWER_UNDER_WAY_MS = 60_000

/** Approvals of runs that this server did not start. Each is an attention item without a run. */
export function createOutsideApprovals({ store, record, attention, now = Date.now }: OutsideApprovalsOptions) {
  return {
    /**
     * Watches the items of an earlier process, so that they expire on time even while their upstream is unavailable.
     */
    start: async () => attention.watch(await store.attention.openOutside('')),
    of: (sourceId: RuntimeId) => ({
      /** Replaces the open approvals with exactly these. Resolves to the ones that a person has already answered. */
      async keep(asked: readonly AskedApproval[]): Promise<readonly GivenApproval[]> {
        const lock = `outside-approvals:${sourceId}`
        const items = await record({ action: null, lock }, async (tx) => {
          const { found, inserted } = await openNew(tx, sourceId, asked, now())
          const current = [...found, ...inserted]
          const withdrawn = await withdrawOthers(tx, sourceId, current, now())
          return { result: current, events: [...inserted, ...withdrawn].map(attentionChanged) }
        })
        await attention.watch(items.filter(({ state }) => state === 'open'))
        return items.flatMap((item) => answerOf(sourceId, item))
      },
      /** Calls the listener once for each new answer, whichever server received it. */
      onAnswer: (listener: (answered: GivenApproval) => void) =>
        attention.onAnswer((item) => {
          for (const answered of answerOf(sourceId, item)) listener(answered)
        }),
    }),
  }
}

/** Finds or inserts the items. An item is settled once, so a question that was withdrawn and returns gets a new one. */
async function openNew(tx: Repositories, sourceId: RuntimeId, asked: readonly AskedApproval[], at: number) {
  const found: AttentionItem[] = []
  const missing: MissingItem[] = []
  let rest = [...new Map(asked.map((approval) => [approval.id, approval])).values()]
  for (let time = 0; rest.length > 0 && time < MOST_TIMES; time++) {
    const ids = rest.map((approval) => itemIdOf(sourceId, approval, time))
    const items = new Map((await tx.attention.among(ids)).map((item) => [item.id, item]))
    rest = rest.filter((approval, index) => {
      const itemId = ids[index]!
      const item = items.get(itemId)
      if (!item) missing.push({ itemId, approval })
      else if (wasWithdrawn(item)) return true
      else found.push(item)
      return false
    })
  }
  return { found, inserted: await insertItems(tx, sourceId, missing, at) }
}

interface MissingItem {
  readonly itemId: string
  readonly approval: AskedApproval
}

async function insertItems(
  tx: Repositories,
  sourceId: RuntimeId,
  missing: readonly MissingItem[],
  at: number,
): Promise<AttentionItem[]> {
  // A run on another server has its own item for the question, and its answer may not have arrived yet.
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
    const item = await tx.attention.insert({
      ...wordingOf(approval, agent?.displayName ?? approval.sourceAgentId),
      id: itemId,
      kind: 'approval',
      agentId: agent?.id ?? null,
      runId: null,
      subjectId: subjectOf(sourceId, approval.id),
      createdAt: at,
      expiresAt: approval.expiresAt,
    })
    inserted.push(item)
  }
  return inserted
}

async function withdrawOthers(tx: Repositories, sourceId: RuntimeId, current: readonly AttentionItem[], at: number) {
  const ids = new Set(current.map(({ id }) => id))
  const open = await tx.attention.openOutside(subjectOf(sourceId, ''))
  return tx.attention.expire({ ids: open.flatMap(({ id }) => (ids.has(id) ? [] : [id])) }, at)
}

function wordingOf({ tool, command, cwd, reason, origin, answers }: AskedApproval, name: string) {
  const mayAlwaysAllow = answers.includes('allow-always')
  return {
    title: `${name} wants to run a command`,
    detail: `Asked outside Clawboo${origin === '' ? '' : ` (${origin})`}, because ${reason}.`,
    action: { tool, command, cwd, reason, mayAlwaysAllow },
    answers: ANSWERS.filter((answer) => answers.includes(answer)),
  }
}

function answerOf(sourceId: RuntimeId, { kind, runId, subjectId, state, answer }: AttentionItem): GivenApproval[] {
  const prefix = subjectOf(sourceId, '')
  if (kind !== 'approval' || runId !== null || state !== 'answered' || !subjectId?.startsWith(prefix)) return []
  return ANSWERS.filter((one) => one === answer).map((one) => ({ id: subjectId.slice(prefix.length), answer: one }))
}

/** Returns whether the item expired early, because its question had disappeared. */
function wasWithdrawn({ state, settledAt, expiresAt }: AttentionItem): boolean {
  return state === 'expired' && (expiresAt === null || (settledAt ?? 0) < expiresAt)
}

function subjectOf(sourceId: RuntimeId, id: string): string {
  return `${sourceId}:${id}`
}

/**
 * Returns the same id on every server, so that two servers with the same question use one item. The command is part of
 * the id: the same approval with another command is another question.
 */
function itemIdOf(sourceId: RuntimeId, { id, sourceAgentId, tool, command, cwd }: AskedApproval, time: number): string {
  const question = JSON.stringify([sourceId, id, sourceAgentId, tool, command, cwd, time])
  return createHash('sha256').update(question).digest('hex').slice(0, 32)
}
