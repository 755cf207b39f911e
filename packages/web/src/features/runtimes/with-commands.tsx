import { Fragment } from 'react'
import { Code } from '../../ui/page-header.tsx'

/** An integration's text, with the parts in backticks shown as commands. */
export function WithCommands({ children }: { children: string }) {
  return children.split('`').map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={at}>{at % 2 === 1 ? <Code>{part}</Code> : part}</Fragment>
  ))
}
