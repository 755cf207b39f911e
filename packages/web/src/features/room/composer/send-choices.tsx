import { useId } from 'react'
import type { Agent } from '../../../api/fleet.ts'
import { ROOM_MODES, type RoomMode } from '../../../shared/composer/send-modes.ts'
import { classNames } from '../../../ui/class-names.ts'
import { fieldClass } from '../../../ui/text-field.tsx'

export function ModeChoice({ mode, onMode }: { mode: RoomMode; onMode: (mode: RoomMode) => void }) {
  const name = useId()
  return (
    <fieldset className="flex shrink-0 rounded-s border border-line-strong p-px">
      <legend className="sr-only">How to send</legend>
      {ROOM_MODES.map((known) => (
        <label
          key={known.mode}
          className={classNames(
            'flex h-[26px] max-wide:h-10 cursor-pointer items-center rounded-[5px] px-2.5 text-sm font-[530] has-focus-visible:outline-2 has-focus-visible:outline-accent',
            known.mode === mode ? 'bg-accent-soft text-accent-text' : 'text-muted hover:text-text',
          )}
        >
          <input
            type="radio"
            name={name}
            checked={known.mode === mode}
            onChange={() => onMode(known.mode)}
            className="sr-only"
          />
          {known.label}
          <span className="sr-only">{`: ${known.about.toLowerCase()}`}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The person to post as; '' = yourself. */
export function SpeakerChoice(props: {
  readonly people: readonly Agent[]
  readonly as: string
  readonly onAs: (personId: string) => void
}) {
  return (
    <label className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
      <span className="whitespace-nowrap max-wide:sr-only">as</span>
      <select
        aria-label="Speak as"
        value={props.as}
        onChange={(event) => props.onAs(event.target.value)}
        className={`${fieldClass} h-7 max-wide:h-10 w-auto max-w-[130px] max-wide:max-w-[90px] px-1.5 text-sm text-ellipsis`}
      >
        <option value="">You</option>
        {props.people.map((person) => (
          <option key={person.id} value={person.id}>
            {person.displayName}
          </option>
        ))}
      </select>
    </label>
  )
}
