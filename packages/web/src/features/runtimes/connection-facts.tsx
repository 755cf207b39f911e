import { Fragment } from 'react'
import type { Connection } from '../../api/sources.ts'
import { Code } from '../../ui/page-header.tsx'
import { sentence } from '../../ui/words/sentence.ts'
import { scopeWords } from './runtime-words.ts'

/** The facts about a connected upstream. */
export function ConnectionFacts({ connection }: { connection: Connection }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
      <dt className="text-muted">Address</dt>
      <dd className="break-words">{connection.address ? <Code>{connection.address}</Code> : 'Unknown'}</dd>
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

/** An integration's text, with the parts in backticks shown as commands. */
export function WithCommands({ children }: { children: string }) {
  return children.split('`').map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={at}>{at % 2 === 1 ? <Code>{part}</Code> : part}</Fragment>
  ))
}
