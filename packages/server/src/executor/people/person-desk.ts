import { ClawbooError } from '@clawboo/core'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Attention, TaskAnswer } from '../attention/attention.ts'

/** The answers to a person's task. */
export const PERSON_ANSWERS = ['accept', 'answer', 'done', 'refuse'] as const satisfies readonly AttentionAnswer[]

export type PersonAnswer = (typeof PERSON_ANSWERS)[number]

interface AskedWork {
  readonly person: Pick<AgentRecord, 'id' | 'displayName'>
  readonly runId: string
  readonly text: string
}

type Told = (answer: { readonly kind: PersonAnswer; readonly text: string }) => void

/** Where the runs of people wait: each is an attention item, answered by the operator in the person's name. */
export function createPersonDesk(attention: Pick<Attention, 'open' | 'settle' | 'withdraw' | 'takeAnswers'>) {
  /** By run: an answer may come before the item's own id is known here. */
  const waiting = new Map<string, Told>()

  attention.takeAnswers('run', async ({ item, answer, text, actor }: TaskAnswer): Promise<AttentionItem> => {
    const told = item.runId === null ? undefined : waiting.get(item.runId)
    if (!told || !isPersonAnswer(answer))
      throw new ClawbooError('answer_refused', 'the run that asks is not at work on this server', {
        details: { itemId: item.id },
      })
    if (answer === 'accept' || answer === 'answer') {
      told({ kind: answer, text })
      return item
    }
    const settled = await attention.settle(item.id, answer, actor)
    waiting.delete(item.runId!)
    told({ kind: answer, text })
    return settled
  })

  return {
    /** Kept before it resolves. */
    async ask({ person, runId, text }: AskedWork, told: Told) {
      waiting.set(runId, told)
      const item = await attention
        .open({
          kind: 'task',
          agentId: person.id,
          runId,
          subjectId: null,
          action: null,
          expiresAt: null,
          title: `${person.displayName} is asked to do something`,
          detail: text,
          task: { teamId: null, askedBy: 'Clawboo', askedOf: person.displayName },
          answers: PERSON_ANSWERS,
        })
        .catch((error: unknown) => {
          waiting.delete(runId)
          throw error
        })
      return {
        async withdraw() {
          waiting.delete(runId)
          await attention.withdraw([item.id])
        },
      }
    },
  }
}

export function isPersonAnswer(answer: AttentionAnswer): answer is PersonAnswer {
  return (PERSON_ANSWERS as readonly string[]).includes(answer)
}
