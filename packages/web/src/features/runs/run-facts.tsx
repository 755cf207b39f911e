import type { RunRecord } from '@clawboo/core/executor'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRuntimes } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { costWords, durationWords, endDetail, tokenWords } from '../../shared/run/run-words.ts'
import { IdDetails } from '../../ui/page-header.tsx'
import { exactTime } from '../../ui/words/time-words.ts'

export function RunFacts({ run, known }: { run: RunRecord; known: boolean }) {
  const runtime = useRuntimes().data?.find(({ id }) => id === run.runtime)?.label ?? run.runtime
  const team = useTeams().data?.find(({ id }) => id === run.teamId)?.name
  const why = run.state === 'ended' ? endDetail(run) : ''
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-5 gap-y-3 text-sm wide:grid-cols-1">
        <Fact term="Boo">
          {known ? (
            <Link
              to="/agents/$agentId"
              params={{ agentId: run.agentId }}
              className="font-[550] text-accent-text hover:underline"
            >
              {run.agentName}
            </Link>
          ) : (
            run.agentName
          )}
        </Fact>
        {team ? <Fact term="Team">{team}</Fact> : null}
        {why === '' ? null : <Fact term="Why it ended">{why}</Fact>}
        <Fact term="Began">{exactTime(run.startedAt)}</Fact>
        {run.endedAt === null ? null : <Fact term="Took">{durationWords(run.endedAt - run.startedAt)}</Fact>}
        <Fact term="Model">{run.model ?? 'none yet'}</Fact>
        <Fact term="Runtime">{runtime}</Fact>
        <Fact term="Model calls">{run.modelCalls.toLocaleString('en-GB')}</Fact>
        <Fact term="Tokens">{`${tokenWords(run.inputTokens)} in, ${tokenWords(run.outputTokens)} out`}</Fact>
        {run.cacheReadTokens + run.cacheWriteTokens > 0 ? (
          <Fact term="Cache">{`${tokenWords(run.cacheReadTokens)} read, ${tokenWords(run.cacheWriteTokens)} written`}</Fact>
        ) : null}
        <Fact term="Cost">
          {costWords(run.costUsd, run.costComplete)}
          {run.costComplete ? null : (
            <span className="block text-xs text-muted">Some model calls have no known price.</span>
          )}
        </Fact>
        {run.contextTokens === null ? null : (
          <Fact term="Context">
            {run.contextWindowTokens === null
              ? tokenWords(run.contextTokens)
              : `${tokenWords(run.contextTokens)} of ${tokenWords(run.contextWindowTokens)}`}
          </Fact>
        )}
      </dl>
      <IdDetails
        ids={[
          ['Id', run.id],
          ['Session key', run.sessionKey],
        ]}
      />
    </>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{term}</dt>
      <dd className="break-words tabular-nums">{children}</dd>
    </div>
  )
}
