/** Why something was not done, read aloud when it appears. Nothing when there is no problem. */
export function ProblemLine({ children, className = '' }: { children: string | null | undefined; className?: string }) {
  if (!children) return null
  return (
    <p role="alert" className={`text-sm text-bad ${className}`}>
      {children}
    </p>
  )
}
