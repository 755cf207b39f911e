import type { ReactNode } from 'react'
import { BooAvatar } from './boo/boo-avatar.tsx'
import { Button } from './button.tsx'

export function EmptyState(props: { readonly title: string; readonly children: ReactNode; readonly seed?: string }) {
  return (
    <div className="mx-auto flex max-w-[440px] flex-col items-center gap-3 px-5 py-16 text-center">
      {props.seed ? <BooAvatar seed={props.seed} size={72} /> : null}
      <h2 className="text-lg font-[620]">{props.title}</h2>
      <div className="flex flex-col items-center gap-3 text-muted">{props.children}</div>
    </div>
  )
}

/** Shows a failure: the event, the state of the data, and the next step. */
export function ErrorState(props: { readonly title: string; readonly detail: string; readonly onRetry?: () => void }) {
  return (
    <div role="alert" className="mx-auto flex max-w-[440px] flex-col items-center gap-3 px-5 py-16 text-center">
      <BooAvatar seed="trouble" eyes="bad" size={64} />
      <h2 className="text-lg font-[620]">{props.title}</h2>
      <p className="text-muted">{props.detail}</p>
      {props.onRetry ? <Button onClick={props.onRetry}>Try again</Button> : null}
    </div>
  )
}

/** Names the content that is loading, over a placeholder of its shape. */
export function LoadingState({ what, rows = 6 }: { what: string; rows?: number }) {
  return (
    <div role="status" className="flex flex-col">
      <p className="px-5 py-2 text-sm text-muted">Loading {what}</p>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical and never move
        <div key={index} aria-hidden="true" className="flex h-11 items-center gap-3 border-b border-line px-5">
          <span className="skeleton size-[30px]" />
          <span className="skeleton h-3 w-40" />
          <span className="skeleton ml-auto h-4 w-20" />
        </div>
      ))}
    </div>
  )
}
