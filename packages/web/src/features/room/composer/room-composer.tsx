import { useEffect, useId, useRef } from 'react'
import type { Agent } from '../../../api/fleet.ts'
import type { Room } from '../../../api/room/room.ts'
import type { Team } from '../../../api/teams.ts'
import { AgentAvatar, useAgentState } from '../../../shared/agent/agent-look.tsx'
import { roleOf } from '../../../shared/agent/agent-words.ts'
import { Composer } from '../../../shared/composer/composer.tsx'
import { ROOM_MODES, type RoomMode } from '../../../shared/composer/send-modes.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Option } from '../../../ui/option-list.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import { listed } from '../../../ui/words/sentence.ts'
import type { RoomMembers } from '../room-members.ts'
import { modeWords } from './preview-words.ts'
import { piecesOf } from './room-draft.ts'
import { TriggerPreview } from './trigger-preview.tsx'
import { type ComposerState, LONGEST, useComposer } from './use-composer.ts'
import type { MentionList } from './use-typing.ts'

/** The message field of the open room. */
export const FIELD_ID = 'room-message'

interface ComposerProps {
  readonly team: Team
  readonly room: Room
  readonly members: RoomMembers
  /** The server accepted the message. */
  readonly onSent: () => void
}

/** The composer of a room. It shows in advance which Boos would reply. */
export function RoomComposer(props: ComposerProps) {
  return <TeamComposer key={props.team.id} {...props} />
}

function TeamComposer(props: ComposerProps) {
  const { team, members } = props
  const state = useComposer(props)
  const { sending, preview, typing } = state
  useFocusOnOpen(typing.field)
  return (
    <div className="mx-auto w-full max-w-[860px] shrink-0 px-5 pt-1 pb-4">
      {state.isWritten ? (
        <TriggerPreview
          preview={preview.data}
          hasFailed={preview.isError}
          skip={state.skip}
          members={members}
          onSkip={typing.skip}
          onSayOnly={() => void state.send('say-only')}
        />
      ) : null}
      <ProblemLine className="px-1 pb-2">{sending.problem}</ProblemLine>
      <MentioningComposer team={team} members={members} state={state} />
      <p key={sending.announcement.count} role="status" className="sr-only">
        {sending.announcement.words}
      </p>
    </div>
  )
}

interface PartProps {
  readonly members: RoomMembers
  readonly state: ComposerState
}

function MentioningComposer({ team, members, state }: PartProps & { readonly team: Team }) {
  const listId = useId()
  const { draft, to, mode, typing, sending } = state
  const { list } = typing
  return (
    <Composer
      place={team.name}
      longest={LONGEST}
      field={{
        ...typing.handlers,
        id: FIELD_ID,
        field: typing.field,
        value: draft.text,
        pieces: draft.mentions.length === 0 ? [] : piecesOf(draft),
        readOnly: sending.isSending,
        'aria-label': `Message ${team.name}`,
        'aria-autocomplete': 'list',
        'aria-haspopup': 'listbox',
        'aria-controls': list.place ? listId : undefined,
        'aria-activedescendant': list.place ? optionId(listId, list.found[list.active]!.id) : undefined,
        'aria-describedby': to.length === 0 ? undefined : `${listId}-to`,
        placeholder: `Message ${team.name}. Use @ to ask one Boo.`,
      }}
      above={
        <>
          <MentionOptions id={listId} list={list} leaderId={members.leaderId} onPick={typing.pick} />
          {to.length === 0 ? null : (
            <p id={`${listId}-to`} className="sr-only">{`Asks ${listed(to.map(members.nameOf))}`}</p>
          )}
        </>
      }
      tools={<Tools members={members} state={state} />}
      hint={mode === null ? undefined : { words: modeHint(state, mode), isOnPhone: true }}
      onSend={() => void state.send(mode)}
    >
      <Button
        kind="primary"
        icon="send"
        disabled={!state.isReady}
        // Not `disabled` while sending, which would lose the focus.
        aria-disabled={sending.isSending}
        onClick={() => void state.send(mode)}
      >
        <span className="max-wide:sr-only">{sending.isSending ? 'Sending' : 'Send'}</span>
      </Button>
    </Composer>
  )
}

function Tools({ members, state }: PartProps) {
  const { mode, typing } = state
  return (
    <>
      <button
        type="button"
        aria-label="Mention a Boo"
        title="Mention a Boo"
        onClick={typing.beginMention}
        className="grid size-[30px] max-wide:size-10 shrink-0 place-items-center rounded-s text-base font-[550] text-muted hover:bg-sunken hover:text-text"
      >
        @
      </button>
      {members.people.length === 0 ? null : <SpeakerChoice people={members.people} as={state.as} onAs={state.setAs} />}
      {mode === null ? null : <ModeChoice mode={mode} onMode={state.setMode} />}
    </>
  )
}

/** While a new preview loads, the old one is for other choices. */
function modeHint({ preview }: ComposerState, mode: RoomMode): string {
  return modeWords(mode, preview.isPlaceholderData ? undefined : preview.data?.joins)
}

/** On a phone, focus would open the keyboard. After a link to one post, the person wants to read. */
function useFocusOnOpen(field: { readonly current: HTMLTextAreaElement | null }): void {
  const isOpened = useRef(false)
  useEffect(() => {
    if (isOpened.current) return
    isOpened.current = true
    const isAside = matchMedia('(pointer: coarse)').matches || new URLSearchParams(location.search).has('post')
    const area = field.current
    if (!area || isAside || document.querySelector('dialog[open]')) return
    area.focus({ preventScroll: true })
    // The cursor goes to the end of a stored draft.
    area.setSelectionRange(area.value.length, area.value.length)
  }, [field])
}

function ModeChoice({ mode, onMode }: { mode: RoomMode; onMode: (mode: RoomMode) => void }) {
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
function SpeakerChoice(props: {
  readonly people: readonly Agent[]
  readonly as: string
  readonly onAs: (personId: string) => void
}) {
  return (
    <label className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
      <span className="whitespace-nowrap max-wide:sr-only">as</span>
      <select
        aria-label="Post as"
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

const optionId = (listId: string, agentId: string) => `${listId}-${agentId}`

function MentionOptions(props: {
  readonly id: string
  readonly list: MentionList
  readonly leaderId: string | null
  readonly onPick: (boo: Agent) => void
}) {
  const { id, list, leaderId, onPick } = props
  if (!list.place) return null
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Boos of this team"
      className="floats-in absolute bottom-full left-0 z-40 mb-1.5 max-h-[260px] w-[320px] max-w-full overflow-y-auto rounded-m border border-line bg-raised p-1 shadow-float"
    >
      {list.found.map((boo, at) => (
        <Option
          key={boo.id}
          id={optionId(id, boo.id)}
          isActive={at === list.active}
          onPoint={() => list.setActive(at)}
          onChoose={() => onPick(boo)}
          className="min-h-9 max-wide:min-h-11 py-1"
        >
          <FoundBoo boo={boo} leads={boo.id === leaderId} />
        </Option>
      ))}
    </div>
  )
}

function FoundBoo({ boo, leads }: { boo: Agent; leads: boolean }) {
  const state = useAgentState(boo)
  const about = [leads ? 'leads' : '', roleOf(boo) ?? '', state.pill].filter(Boolean).join(' · ')
  return (
    <>
      <AgentAvatar agent={boo} size={24} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-[550]">{boo.displayName}</span>
        <span className="block truncate text-xs text-muted">{about}</span>
      </span>
    </>
  )
}
