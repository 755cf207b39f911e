import type { ReactNode } from 'react'

/** The bar at the top of every page: title, count and actions. */
export function PageHeader(props: {
  readonly title: string
  readonly documentTitle?: string
  readonly before?: ReactNode
  readonly sub?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <header className="flex min-h-[52px] shrink-0 items-center gap-3.5 border-b border-line px-5 py-1.5">
      <title>{`${props.documentTitle ?? props.title} · Clawboo`}</title>
      {props.before}
      <h1 className="min-w-0 truncate text-lg font-[620] tracking-[-0.01em] outline-none">{props.title}</h1>
      {/* Uses the space beside the title and never shortens the title. */}
      {props.sub ? (
        <span className="hidden min-w-0 flex-1 basis-0 truncate text-sm text-muted wide:inline">{props.sub}</span>
      ) : null}
      <span className="ml-auto flex shrink-0 items-center gap-2">{props.children}</span>
    </header>
  )
}

/** A section of a page of facts or settings, with a title. */
export function Section({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-b border-line px-5 py-6 full:grid-cols-[220px_minmax(0,1fr)]">
      <div>
        <h2 className="text-base font-semibold">{title}</h2>
        {about ? <p className="mt-1 text-sm text-muted">{about}</p> : null}
      </div>
      <div className="flex min-w-0 max-w-[640px] flex-col gap-4">{children}</div>
    </section>
  )
}

export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid min-h-8 grid-cols-[120px_minmax(0,1fr)] items-center">
      <dt className="text-sm text-muted">{term}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere] tabular-nums">{children}</dd>
    </div>
  )
}

/** Ids and keys, folded away because people use names. */
export function IdDetails({ ids }: { ids: readonly (readonly [term: string, id: string])[] }) {
  return (
    <details className="mt-3 text-sm text-muted">
      <summary className="w-fit rounded-s">Details</summary>
      <dl className="mt-2 flex flex-col gap-1.5 break-all">
        {ids.map(([term, id]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>
              <Code>{id}</Code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

export function Code({ children }: { children: ReactNode }) {
  return <code className="rounded-[4px] bg-sunken px-1.5 py-px font-mono text-sm text-text">{children}</code>
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="rounded-[4px] border border-line bg-bg px-1 font-mono text-xs text-muted">{children}</kbd>
}

export const tabClass =
  '-mb-px shrink-0 border-b-2 border-transparent py-2 text-muted hover:text-text data-[status=active]:border-accent data-[status=active]:font-[560] data-[status=active]:text-text'
