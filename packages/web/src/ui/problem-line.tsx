/** Why an action failed, read aloud when it appears. Empty without a problem. */
export function ProblemLine({ children, className = '' }: { children: string | null | undefined; className?: string }) {
  if (!children) return null
  return (
    <p role="alert" className={`text-sm text-bad ${className}`}>
      {children}
    </p>
  )
}
