import { announce } from '../ui/announcement.tsx'
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

/** Announces the result of an action, even if the view that started it is closed by then. */
export function announceResult<Out>(
  result: Promise<Out>,
  words: string | ((out: Out) => string),
  /** Completes "Couldn't …". */
  action: string,
): void {
  void result.then(
    (out) => announce(typeof words === 'string' ? words : words(out)),
    (error: unknown) => announce(problemWords(error, action), 'bad'),
  )
}
