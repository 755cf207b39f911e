import { ProblemLine } from '../ui/problem-line.tsx'
import { problemWords } from './problem-words.ts'

/** Shows why an action failed; an empty live region while there is no error. */
export function Problem(props: {
  readonly error: unknown
  /** Completes "Couldn't …". */
  readonly action: string
  readonly kept?: string
  readonly className?: string
}) {
  return (
    <ProblemLine className={props.className}>
      {props.error ? problemWords(props.error, props.action, props.kept) : null}
    </ProblemLine>
  )
}
