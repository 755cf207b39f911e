import type { MessageMode } from '@clawboo/core/executor'
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { readMessageDraft, writeMessageDraft } from '../../../shared/composer/message-draft.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Kbd } from '../../../ui/page-header.tsx'
import { useAutosize } from '../../../ui/use-autosize.ts'
import { withAdded } from './draft-text.ts'
import { modeWords, SEND_MODES } from './send-modes.ts'

const LONGEST = 100_000
const TALLEST_PX = 260

/** Where a person writes to a Boo. The draft is kept by Boo, whatever happens to the tab. */
export function Composer(props: {
  readonly agentId: string
  readonly name: string
  readonly active: boolean
  /** What the conversation does unless said. */
  readonly usualMode: MessageMode
  readonly escaped: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onType: (text: string) => void
  readonly onSend: (text: string, mode: MessageMode | null) => void
  readonly onStop: () => void
}) {
  const { name, active, text, field } = props
  const [chosen, setChosen] = useState<MessageMode | null>(null)
  const mode = modeWords(chosen ?? props.usualMode)
  useAutosize(field, text, TALLEST_PX)
  const tooLong = text.length > LONGEST
  const ready = text.trim() !== '' && !tooLong
  const send = () => {
    if (!ready) return
    props.onSend(text, active ? mode.mode : null)
    props.onType('')
    setChosen(null)
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    // A key still held down from the answer before it sends nothing.
    if (!event.repeat) send()
  }
  return (
    <div className="rounded-l border border-line-strong bg-raised shadow-float focus-within:border-accent">
      <textarea
        ref={field}
        rows={1}
        value={text}
        onChange={(event) => props.onType(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={`Write to ${name}`}
        placeholder={active ? `${name} is at work. Write to it at any time.` : `Write to ${name}`}
        className="block max-h-[260px] min-h-[44px] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-base leading-normal outline-none"
      />
      <div className="flex min-h-[42px] items-center gap-2 px-3 pb-2">
        <p className="min-w-0 flex-1 truncate text-sm text-muted">
          {tooLong ? (
            <span className="text-bad">{`Too long by ${(text.length - LONGEST).toLocaleString('en-GB')} characters`}</span>
          ) : active ? (
            // On a phone there is no room for a sentence; the menu beside the button has it.
            <span className="hidden wide:inline">{mode.about}</span>
          ) : (
            <span className="hidden wide:inline">
              <Kbd>Enter</Kbd> sends, <Kbd>Shift Enter</Kbd> begins a line
            </span>
          )}
        </p>
        {active ? (
          <PassesFocus>
            <Button kind="danger" icon="stop" onClick={props.onStop}>
              {props.escaped ? 'Esc again stops' : 'Stop'}
            </Button>
          </PassesFocus>
        ) : null}
        <SendButton active={active} mode={mode.mode} ready={ready} onSend={send} onMode={setChosen} />
      </div>
    </div>
  )
}

function SendButton(props: {
  readonly active: boolean
  readonly mode: MessageMode
  readonly ready: boolean
  readonly onSend: () => void
  readonly onMode: (mode: MessageMode) => void
}) {
  const { active, mode, ready, onSend, onMode } = props
  return (
    <span className="flex shrink-0">
      <Button
        kind="primary"
        icon="send"
        disabled={!ready}
        onClick={onSend}
        className={active ? 'rounded-r-none' : undefined}
      >
        {active ? modeWords(mode).label : 'Send'}
      </Button>
      {active ? (
        <PassesFocus>
          <Menu
            label="How to send"
            trigger={
              <button
                type="button"
                aria-label="How to send"
                title="How to send"
                className={`${buttonClass('primary')} rounded-l-none border-l-accent-ink/30 px-1.5`}
              >
                <Icon name="down" size={14} />
              </button>
            }
            items={SEND_MODES.map((known) => ({
              label: known.label,
              hint: known.about,
              chosen: known.mode === mode,
              run: () => onMode(known.mode),
            }))}
          />
        </PassesFocus>
      ) : null}
    </span>
  )
}

export function useMessageDraft(agentId: string) {
  const [text, setText] = useState(() => readMessageDraft(agentId))
  /** What was typed up to now, also for what comes back after a while. */
  const current = useRef(text)
  const type = (next: string) => {
    current.current = next
    setText(next)
    writeMessageDraft(agentId, next)
  }
  /** Puts something below what is there already. */
  const add = (more: string) => type(withAdded(current.current, more))
  return { text, type, add }
}
