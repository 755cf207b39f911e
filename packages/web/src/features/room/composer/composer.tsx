import { useEffect, useId, useRef } from 'react'
import type { Room } from '../../../api/room/room.ts'
import type { Team } from '../../../api/teams.ts'
import { Button } from '../../../ui/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/shortcuts.ts'
import { usePageActions } from '../../../ui/page-actions.ts'
import { Kbd } from '../../../ui/page-header.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { namesInWords } from '../exchange/wake-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { MentionOptions, optionId } from './mention-list.tsx'
import { MessageField } from './message-field.tsx'
import { ModeChoice, SpeakerChoice } from './send-choices.tsx'
import { modeWords } from './send-modes.ts'
import { TriggerPreview } from './trigger-preview.tsx'
import { type ComposerState, useComposer } from './use-composer.ts'

interface ComposerProps {
  readonly team: Team
  readonly room: Room
  readonly members: RoomMembers
  /** The server has taken what was said. */
  readonly onSent: () => void
}

/** Where a person speaks to a team, and sees beforehand who would answer. */
export function Composer(props: ComposerProps) {
  return <TeamComposer key={props.team.id} {...props} />
}

function TeamComposer(props: ComposerProps) {
  const { team, members } = props
  const state = useComposer(props)
  const { sending, preview, typing } = state
  useComposerActions(team.name, () => typing.field.current?.focus())
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
      <div className="relative rounded-l border border-line-strong bg-raised shadow-float focus-within:border-accent">
        <WordsField team={team} members={members} state={state} />
        <SendRow members={members} state={state} />
      </div>
      <p key={sending.told.count} role="status" className="sr-only">
        {sending.told.words}
      </p>
    </div>
  )
}

interface PartProps {
  readonly members: RoomMembers
  readonly state: ComposerState
}

function WordsField({ team, members, state }: PartProps & { readonly team: Team }) {
  const listId = useId()
  const { to, typing } = state
  const { list } = typing
  return (
    <>
      <MentionOptions id={listId} list={list} leaderId={members.leaderId} onPick={typing.pick} />
      <MessageField
        {...typing.handlers}
        data-room-field
        draft={state.draft}
        field={typing.field}
        readOnly={state.sending.isSending}
        aria-label={`Write to ${team.name}`}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={list.place ? listId : undefined}
        aria-activedescendant={list.place ? optionId(listId, list.found[list.active]!.id) : undefined}
        aria-describedby={to.length === 0 ? undefined : `${listId}-to`}
        placeholder={`Write to ${team.name}. @ asks a Boo.`}
      />
      {to.length === 0 ? null : (
        <p id={`${listId}-to`} className="sr-only">{`Asks ${namesInWords(to.map(members.nameOf))}`}</p>
      )}
    </>
  )
}

function SendRow({ members, state }: PartProps) {
  const { mode, sending, typing } = state
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 pt-0.5 pb-2">
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
      <p className="min-w-0 flex-1 text-sm text-muted max-wide:order-first max-wide:basis-full max-wide:pl-1 max-wide:empty:hidden">
        <Hint state={state} />
      </p>
      <Button
        kind="primary"
        icon="send"
        className="ml-auto"
        disabled={!state.isReady}
        // Not `disabled` while it is on its way: the keyboard's place would be lost.
        aria-disabled={sending.isSending}
        onClick={() => void state.send(mode)}
      >
        <span className="max-wide:sr-only">{sending.isSending ? 'Sending' : 'Send'}</span>
      </Button>
    </div>
  )
}

function Hint({ state }: { state: ComposerState }) {
  const { tooLong, mode, preview } = state
  if (tooLong > 0) {
    return <span className="text-bad">{`Too long by ${tooLong.toLocaleString('en-GB')} characters`}</span>
  }
  // An answer that stands in for the next one is of another choice.
  if (mode !== null) return modeWords(mode, preview.isPlaceholderData ? undefined : preview.data?.joins)
  // A phone's keyboard says that itself.
  return (
    <span className="max-wide:hidden">
      <Kbd>Enter</Kbd> sends, <Kbd>Shift Enter</Kbd> begins a line
    </span>
  )
}

function useComposerActions(place: string, focus: () => void): void {
  useShortcuts({ c: focus })
  usePageActions([{ id: 'write-to-room', title: 'Write to the room', place, icon: 'chat', keys: 'c', run: focus }])
}

/** On a phone the cursor would bring up the keyboard; who came for one post is reading. */
function useFocusOnOpen(field: { readonly current: HTMLTextAreaElement | null }): void {
  const isOpened = useRef(false)
  useEffect(() => {
    if (isOpened.current) return
    isOpened.current = true
    const isAside = matchMedia('(pointer: coarse)').matches || new URLSearchParams(location.search).has('post')
    const area = field.current
    if (!area || isAside || document.querySelector('dialog[open]')) return
    area.focus({ preventScroll: true })
    // What is kept goes on at its end.
    area.setSelectionRange(area.value.length, area.value.length)
  }, [field])
}
