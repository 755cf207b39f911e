import type { ReactNode } from 'react'
import { useStatus } from '../../api/access.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/page-header.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago } from '../../ui/words/time-words.ts'

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function About() {
  const status = useStatus()
  const now = useNow()
  if (status.data) {
    const { version, engine, home, agents, teams, startedAt } = status.data
    return (
      <dl className="flex flex-col">
        <Fact term="Version">{version}</Fact>
        <Fact term="Database">{ENGINES[engine]}</Fact>
        <Fact term="Home">
          <Code>{home}</Code>
        </Fact>
        <Fact term="Started">{ago(startedAt, now)}</Fact>
        <Fact term="Boos, people">{agents.toLocaleString('en-GB')}</Fact>
        <Fact term="Teams">{teams.toLocaleString('en-GB')}</Fact>
      </dl>
    )
  }
  if (!status.error) {
    return (
      <p role="status" className="text-muted">
        Loading what the server says about itself
      </p>
    )
  }
  const problem = readProblem(status.error, 'this')
  return (
    <div role="alert" className="flex flex-col items-start gap-2 text-muted">
      <p>{`${problem.title}. ${problem.detail}`}</p>
      <Button onClick={() => void status.refetch()}>Try again</Button>
    </div>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid min-h-8 grid-cols-[120px_minmax(0,1fr)] items-center">
      <dt className="text-sm text-muted">{term}</dt>
      <dd className="break-all tabular-nums">{children}</dd>
    </div>
  )
}
