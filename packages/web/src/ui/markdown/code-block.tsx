import { useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'
import { copyText } from '../copy-text.ts'
import { Icon } from '../icon.tsx'

/** Code with its language and a copy button. Long lines scroll inside. */
export function CodeBlock({ code, language = '', label }: { code: string; language?: string; label?: string }) {
  return (
    <figure className="relative min-w-0 overflow-hidden rounded-m border border-line bg-sunken">
      <figcaption className="flex h-7 items-center justify-between pr-1 pl-3 text-xs text-muted">
        <span className="truncate font-mono">{label ?? (language || 'text')}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        className="max-h-[420px] overflow-auto px-3 pb-3 font-mono text-sm leading-normal [overflow-wrap:normal]"
      >
        <code>{code}</code>
      </pre>
    </figure>
  )
}

export function CopyButton({ text, className }: { text: string; className?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    copyText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    )
  }
  return (
    <button
      type="button"
      onClick={copy}
      className={classNames(
        'inline-flex h-6 items-center gap-1 rounded-s px-1.5 text-xs text-muted hover:bg-surface hover:text-text max-wide:after:absolute max-wide:after:top-0 max-wide:after:right-0 max-wide:after:h-10 max-wide:after:w-20',
        className,
      )}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} size={12} />
      <span aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Not allowed here' : 'Copy'}
      </span>
    </button>
  )
}
