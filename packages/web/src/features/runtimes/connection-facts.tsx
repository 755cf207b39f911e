import type { Connection } from '../../api/sources.ts'
import { Code } from '../../ui/page-header.tsx'
import { scopeWords, sentence } from './runtime-words.ts'
import { WithCommands } from './with-commands.tsx'

/** The facts about a connected upstream. */
export function ConnectionFacts({ connection }: { connection: Connection }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
      <dt className="text-muted">Address</dt>
      <dd className="break-words">{connection.address ? <Code>{connection.address}</Code> : 'not told'}</dd>
      <dt className="text-muted">Clawboo may</dt>
      <dd className="break-words">{scopeWords(connection.scopes)}</dd>
    </dl>
  )
}

/** The problem of a connection, then what to do. */
export function ConnectionTrouble({ problem }: { problem: NonNullable<Connection['problem']> }) {
  return (
    <div className="rounded-s bg-needs-soft px-3 py-2 text-sm text-needs">
      <p className="font-[560] break-words">{sentence(problem.message)}</p>
      {problem.remedy ? (
        <p className="mt-0.5 break-words">
          <WithCommands>{sentence(problem.remedy)}</WithCommands>
        </p>
      ) : null}
    </div>
  )
}
