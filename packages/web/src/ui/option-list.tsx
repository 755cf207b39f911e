import { type InputHTMLAttributes, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classNames } from './class-names.ts'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }

interface OptionListProps<Item> {
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
}

/** A search field with a list of what it found. Focus stays in the field; its keys choose an entry of the list. */
export function OptionList<Item extends { readonly id: string }>(props: OptionListProps<Item>) {
  const { field, items, open, onChoose } = props
  const listId = useId()
  const [active, setActive] = useState(0)
  const at = Math.min(active, items.length - 1)
  const isOpen = open?.isOpen ?? true
  const onKeyDown = listKeys({ items, at, isOpen, open, setActive, onChoose })
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
        id={listId}
        role="listbox"
        aria-label={props.label}
        hidden={!isOpen || (open !== undefined && items.length === 0)}
        className={props.listClass}
      >
        {items.map((item, index) => (
          <Option
            key={item.id}
            id={`${listId}-${index}`}
            isActive={index === at}
            onPoint={() => setActive(index)}
            onChoose={() => onChoose(item)}
            className={props.optionClass}
          >
            {props.render(item)}
          </Option>
        ))}
      </div>
      <p role="status" className={isOpen && items.length === 0 ? 'px-2 py-2 text-sm text-muted' : 'sr-only'}>
        {isOpen ? (items.length === 0 ? props.none : `${items.length} found`) : ''}
      </p>
    </>
  )
}

export function Option(props: {
  readonly id: string
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
  readonly className: string
  readonly children: ReactNode
}) {
  const box = useRef<HTMLDivElement>(null)
  const wasActive = useRef(props.isActive)
  // Not when the list appears, which would also scroll the page around it.
  useEffect(() => {
    if (props.isActive && !wasActive.current) box.current?.scrollIntoView({ block: 'nearest' })
    wasActive.current = props.isActive
  }, [props.isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: focus stays in the field, which handles the keys
    <div
      ref={box}
      id={props.id}
      role="option"
      aria-selected={props.isActive}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={props.onPoint}
      onClick={props.onChoose}
      className={classNames(
        'flex cursor-pointer items-center gap-2.5 rounded-s px-2',
        props.className,
        props.isActive && 'bg-accent-soft',
      )}
    >
      {props.children}
    </div>
  )
}

function listKeys<Item>(list: {
  readonly items: readonly Item[]
  readonly at: number
  readonly isOpen: boolean
  readonly open: { readonly set: (isOpen: boolean) => void } | undefined
  readonly setActive: (at: number) => void
  readonly onChoose: (item: Item) => void
}) {
  const { items, at, open } = list
  return (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    if (event.key === 'Escape') open?.set(false)
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    const chosen = items[at]
    if (step !== undefined) {
      open?.set(true)
      if (chosen) list.setActive(stepped(at, step, items.length))
    } else if (list.isOpen && chosen) list.onChoose(chosen)
  }
}

/** A step past either end wraps around; a page stops at the ends. */
function stepped(at: number, step: number, count: number): number {
  return Math.abs(step) === 1 ? (at + step + count) % count : Math.min(Math.max(at + step, 0), count - 1)
}
