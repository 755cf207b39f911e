import { type InputHTMLAttributes, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }

/** A search field with a list of what it found. Focus stays in the field; its keys choose an entry of the list. */
export function OptionList<Item extends { readonly id: string }>(props: {
  readonly field: InputHTMLAttributes<HTMLInputElement> & { readonly value: string; readonly 'aria-label': string }
  readonly onType: (text: string) => void
  readonly label: string
  readonly items: readonly Item[]
  readonly render: (item: Item) => ReactNode
  readonly onChoose: (item: Item) => void
  /** Whether the list is shown; without it, always. */
  readonly open?: { readonly isOpen: boolean; readonly set: (isOpen: boolean) => void }
  readonly listClass: string
  readonly optionClass: string
  /** Shown when nothing was found. */
  readonly none: string
}) {
  const { field, items, open, onChoose } = props
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const at = Math.min(active, items.length - 1)
  const isOpen = open?.isOpen ?? true
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    if (event.key === 'Escape') open?.set(false)
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    const chosen = items[at]
    if (step !== undefined) {
      open?.set(true)
      if (chosen) setActive(stepped(at, step, items.length))
    } else if (isOpen && chosen) onChoose(chosen)
  }
  return (
    <>
      <input
        {...field}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && items[at] ? `${listId}-${at}` : undefined}
        autoComplete="off"
        onChange={(event) => {
          props.onType(event.target.value)
          open?.set(true)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={props.label}
        hidden={!isOpen || (open !== undefined && items.length === 0)}
        className={props.listClass}
      >
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={item.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={() => setActive(index)}
            onClick={() => onChoose(item)}
            className={classNames(
              'flex cursor-pointer items-center gap-2.5 rounded-s px-2',
              props.optionClass,
              index === at && 'bg-accent-soft',
            )}
          >
            {props.render(item)}
          </div>
        ))}
      </div>
      <p role="status" className={isOpen && items.length === 0 ? 'px-2 py-2 text-sm text-muted' : 'sr-only'}>
        {isOpen ? (items.length === 0 ? props.none : `${items.length} found`) : ''}
      </p>
    </>
  )
}

/** One step goes around the list; a page stops at its ends. */
function stepped(at: number, step: number, count: number): number {
  return Math.abs(step) === 1 ? (at + step + count) % count : Math.min(Math.max(at + step, 0), count - 1)
}
