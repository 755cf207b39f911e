import type { AttentionAnswer } from '@clawboo/core/executor'
import { type AttentionItem, useAnswerAttention, wasSettled } from '../../api/attention.ts'
import { useFleet } from '../../api/fleet.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { AnswerButtons } from '../../shared/approval/answer-buttons.tsx'
import { ANSWER_WORDS, reasonWords, settledWords } from '../../shared/approval/attention-words.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { answerProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Code } from '../../ui/page-header.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago, clockWords, exactTime } from '../../ui/words/time-words.ts'
import { ItemLinks } from './settled-items.tsx'
import { AskedWork, TaskAnswers } from './task-answers.tsx'

export function OpenItem({ item }: { item: AttentionItem }) {
  const now = useNow()
  const agent = useFleet().data?.agents.find(({ id }) => id === item.agentId)
  return (
    <li
      aria-label={item.title}
      data-item={item.id}
      className="grid grid-cols-[36px_minmax(0,1fr)] gap-x-3.5 gap-y-2.5 border-b border-line px-5 py-4 full:grid-cols-[36px_minmax(0,1fr)_auto]"
    >
      {agent ? (
        <AgentAvatar agent={agent} size={36} />
      ) : item.task ? (
        <BooAvatar seed="operator" person size={36} />
      ) : (
        <Icon name="bell" />
      )}
      <div className="flex min-w-0 flex-col gap-1.5">
        <p>
          <span className="font-semibold">{item.title}</span>
          <span
            className="text-sm whitespace-nowrap text-muted"
            title={exactTime(item.createdAt)}
          >{` · ${ago(item.createdAt, now)}`}</span>
        </p>
        {item.action ? (
          <>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
              tabIndex={0}
              className="max-h-[240px] overflow-auto rounded-s border border-line bg-sunken px-3 py-2 font-mono text-sm whitespace-pre-wrap"
            >
              {item.action.command}
            </pre>
            {item.action.cwd === '' ? null : (
              <p className="text-sm text-muted">
                In <Code>{item.action.cwd}</Code>
              </p>
            )}
          </>
        ) : null}
        {item.task ? <AskedWork item={item} task={item.task} /> : null}
        {item.detail && !item.task ? (
          <p className="max-w-[80ch] text-sm whitespace-pre-wrap text-muted">{reasonWords(item)}</p>
        ) : null}
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
          <ItemLinks item={item} />
          {item.expiresAt === null ? null : <span>{`Denied automatically at ${clockWords(item.expiresAt, now)}`}</span>}
        </p>
      </div>
      {item.task ? <TaskAnswers item={item} /> : <Answers item={item} />}
    </li>
  )
}

function Answers({ item }: { item: AttentionItem }) {
  const send = useAnswerAttention()
  // Promises, because this row is unmounted once the answer is stored.
  const give = (answer: AttentionAnswer) =>
    send.mutateAsync({ itemId: item.id, answer }).then(
      (settled) => announce(settledWords({ ...settled, answeredBy: null }) ?? ANSWER_WORDS[answer]),
      (error: unknown) => {
        if (wasSettled(error)) announce('It was already answered. Your answer changed nothing.')
      },
    )
  return (
    <div className="col-start-2 flex flex-col gap-1.5 full:col-start-3 full:max-w-[300px]">
      <AnswerButtons
        answers={item.answers}
        giving={send.isPending ? send.variables.answer : null}
        onGive={(answer) => void give(answer)}
      />
      <ProblemLine>{send.error && !wasSettled(send.error) ? answerProblem(send.error) : null}</ProblemLine>
    </div>
  )
}
