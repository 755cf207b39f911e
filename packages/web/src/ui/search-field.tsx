import type { KeyboardEvent, Ref } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import { useAddressText } from './state/use-address-text.ts'

/** A search field with its text in the address. Escape leaves it once it is empty. */
export function SearchField(props: {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
  readonly className?: string
  readonly ref: Ref<HTMLInputElement>
}) {
  const { text, type } = useAddressText(props.value, props.onChange)
  return (
    <span className={classNames('relative flex-1 text-muted wide:max-w-[220px]', props.className)}>
      <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center">
        <Icon name="search" size={14} />
      </span>
      <input
        ref={props.ref}
        type="search"
        aria-label={props.label}
        placeholder="Search"
        maxLength={200}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape' && text === '') event.currentTarget.blur()
          props.onKeyDown?.(event)
        }}
        className="h-[26px] max-wide:h-10 w-full rounded-full border border-line-strong bg-surface pr-2.5 pl-8 text-sm text-text focus-visible:outline-offset-0"
      />
    </span>
  )
}
