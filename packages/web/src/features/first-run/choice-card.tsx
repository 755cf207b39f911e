import type { ReactNode } from 'react'

export function ChoiceCard(props: {
  readonly title: string
  readonly about: ReactNode
  readonly badge?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="rounded-m border border-line bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center gap-2.5">
        <h3 className="text-lg font-[620]">{props.title}</h3>
        {props.badge}
      </div>
      <p className="mt-0.5 mb-3 max-w-[62ch] text-muted">{props.about}</p>
      {props.children}
    </section>
  )
}
