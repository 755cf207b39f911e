import { ClawbooError } from '@clawboo/core'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Attention, TaskAnswer } from '../attention/attention.ts'

/** The possible answers to a person's task. */
export const PERSON_ANSWERS = ['accept', 'answer', 'done', 'refuse'] as const satisfies readonly AttentionAnswer[]

type PersonAnswer = (typeof PERSON_ANSWERS)[number]

interface PersonRequest {
  readonly person: Pick<AgentRecord, 'id' | 'displayName'>
  readonly runId: string
  readonly text: string
}

type OnAnswer = (answer: { readonly kind: PersonAnswer; readonly text: string }) => void

/**
 * Asks people to do the work of runs. Each run waits as an attention item, which the operator answers in the person's
 * name.
 */
export function createPersonRequests(attention: Pick<Attention, 'open' | 'settle' | 'withdraw' | 'takeAnswers'>) {
  /** Keyed by run id, because an answer may arrive before the id of the item is known. */
  const waiting = new Map<string, OnAnswer>()

  attention.takeAnswers('run', async ({ item, answer, text, actor }: TaskAnswer): Promise<AttentionItem> => {
    const onAnswer = item.runId === null ? undefined : waiting.get(item.runId)
    if (!onAnswer || !isPersonAnswer(answer))
      throw new ClawbooError('answer_refused', 'the run that asked is not active on this server', {
        details: { itemId: item.id },
      })
    if (answer === 'accept' || answer === 'answer') {
      onAnswer({ kind: answer, text })
      return item
    }
    const settled = await attention.settle(item.id, answer, actor)
    waiting.delete(item.runId!)
    onAnswer({ kind: answer, text })
    return settled
  })

  return {
    /** Opens an item for the person. Resolves when the item is stored. */
    async ask({ person, runId, text }: PersonRequest, onAnswer: OnAnswer) {
      waiting.set(runId, onAnswer)
      const item = await attention
        .open({
          kind: 'task',
          agentId: person.id,
          runId,
          subjectId: null,
          action: null,
          expiresAt: null,
          title: `${person.displayName} has something to do`,
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

function isPersonAnswer(answer: AttentionAnswer): answer is PersonAnswer {
  return (PERSON_ANSWERS as readonly string[]).includes(answer)
}
