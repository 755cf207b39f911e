import { Fragment } from 'react'
import { Code } from '../../ui/page-header.tsx'

/** Words of an integration, with what stands in backticks as something to type. */
export function WithCommands({ children }: { children: string }) {
  return children.split('`').map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={at}>{at % 2 === 1 ? <Code>{part}</Code> : part}</Fragment>
  ))
}
