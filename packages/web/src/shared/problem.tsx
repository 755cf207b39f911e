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

/** Why an action failed, read aloud when it appears. Empty without a problem. */
export function ProblemLine({ children, className = '' }: { children: string | null | undefined; className?: string }) {
  if (!children) return null
  return (
    <p role="alert" className={`text-sm text-bad ${className}`}>
      {children}
    </p>
  )
}
