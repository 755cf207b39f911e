import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { BooAvatar } from '../ui/boo/boo-avatar.tsx'
import { classNames } from '../ui/class-names.ts'
import { ModalFrame } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Kbd } from '../ui/page-header.tsx'
import { findEntries, type PaletteEntry, usePaletteEntries } from './palette-entries.ts'

/** The command palette: all actions of this page and the app, all Boos and all teams. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const entries = usePaletteEntries(onShortcuts)
  const found = useMemo(() => findEntries(entries, query), [entries, query])
  const listId = useId()
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setChosen((now) =>
        Math.abs(step) === 1 ? (now + step + found.length) % found.length : clamp(now + step, found.length),
      )
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(found[chosen])
    }
  }
  return (
    <ModalFrame
      label="Find or do anything"
      onClose={onClose}
      className="mx-auto mt-[12vh] mb-auto w-[calc(100vw-24px)] max-w-[560px] overflow-hidden rounded-l border border-line bg-raised p-0 shadow-float"
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: a person opens the palette to type into it
        autoFocus
        role="combobox"
        aria-label="Find or do anything"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[chosen] ? `${listId}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={query}
        placeholder="Find a Boo, a team or an action"
        onChange={(event) => {
          setQuery(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
      />
      <Results id={listId} found={found} chosen={chosen} onChoose={setChosen} onRun={run} />
    </ModalFrame>
  )
}

function Results(props: {
  readonly id: string
  readonly found: readonly PaletteEntry[]
  readonly chosen: number
  readonly onChoose: (index: number) => void
  readonly onRun: (entry: PaletteEntry) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[props.chosen]?.scrollIntoView({ block: 'nearest' })
  }, [props.chosen])
  return (
    <>
      <div ref={list} id={props.id} role="listbox" aria-label="Results" className="max-h-[46vh] overflow-y-auto p-1.5">
        {props.found.map((entry, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={entry.id}
            id={`${props.id}-${index}`}
            role="option"
            aria-selected={index === props.chosen}
            onPointerMove={() => props.onChoose(index)}
            onClick={() => props.onRun(entry)}
            className={classNames(
              'flex h-9 cursor-pointer items-center gap-3 rounded-s px-2.5',
              index === props.chosen && 'bg-accent-soft',
            )}
          >
            {entry.boo ? <BooAvatar {...entry.boo} size={20} /> : <Icon name={entry.icon ?? 'check'} />}
            <span className="truncate">{entry.title}</span>
            {entry.place ? <span className="shrink-0 text-sm text-muted">{entry.place}</span> : null}
            {entry.keys ? (
              <span className="ml-auto">
                <Kbd>{entry.keys}</Kbd>
              </span>
            ) : null}
          </div>
        ))}
      </div>
      <p role="status" className={props.found.length === 0 ? 'px-4 pb-4 text-muted' : 'sr-only'}>
        {props.found.length === 0 ? 'No results' : `${props.found.length} found`}
      </p>
    </>
  )
}

function clamp(index: number, count: number): number {
  return Math.min(Math.max(index, 0), count - 1)
}
