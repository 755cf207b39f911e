import { Fragment } from 'react'
import type { Connection } from '../../api/sources.ts'
import { Code, Fact } from '../../ui/page-header.tsx'
import { sentence } from '../../ui/words/sentence.ts'
import { scopeWords } from './runtime-words.ts'

export function ConnectionFacts({ connection }: { connection: Connection }) {
  return (
    <dl className="flex flex-col text-sm">
      <Fact term="Address">{connection.address ? <Code>{connection.address}</Code> : 'Unknown'}</Fact>
      <Fact term="Clawboo may">{scopeWords(connection.scopes)}</Fact>
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
