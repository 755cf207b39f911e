import type { MessageMode } from '@clawboo/core/executor'
import { type RefObject, useState } from 'react'
import { Composer, excessOf } from '../../../shared/composer/composer.tsx'
import { AGENT_MODES, modeOf } from '../../../shared/composer/send-modes.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Menu } from '../../../ui/menu.tsx'

const LONGEST = 100_000

/** The field for messages to a Boo, available even while it works. */
export function AgentComposer(props: {
  readonly name: string
  readonly active: boolean
  /** Used unless the person chooses another mode. */
  readonly defaultMode: MessageMode
  readonly escaped: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onType: (text: string) => void
  readonly onSend: (text: string, mode: MessageMode | null) => void
  readonly onStop: () => void
}) {
  const { name, active, text, field } = props
  const [chosen, setChosen] = useState<MessageMode | null>(null)
  const { mode, about } = modeOf(AGENT_MODES, chosen ?? props.defaultMode)
  const isReady = text.trim() !== '' && excessOf(text, LONGEST) === 0
  const send = () => {
    if (!isReady) return
    props.onSend(text, active ? mode : null)
    props.onType('')
    setChosen(null)
    field.current?.focus()
  }
  return (
    <Composer
      place={name}
      longest={LONGEST}
      field={{
        field,
        value: text,
        onChange: (event) => props.onType(event.target.value),
        'aria-label': `Message ${name}`,
        placeholder: active ? `Message ${name}. It reads this after the current step.` : `Message ${name}`,
      }}
      // A phone has no space for the sentence; the menu beside the button shows it.
      hint={active ? { words: about, isOnPhone: false } : undefined}
      onSend={send}
    >
      {active ? (
        <PassesFocus>
          <Button kind="danger" icon="stop" onClick={props.onStop}>
            {props.escaped ? 'Esc again stops' : 'Stop'}
          </Button>
        </PassesFocus>
      ) : null}
      <SendButton active={active} mode={mode} isReady={isReady} onSend={send} onMode={setChosen} />
    </Composer>
  )
}

function SendButton(props: {
  readonly active: boolean
  readonly mode: MessageMode
  readonly isReady: boolean
  readonly onSend: () => void
  readonly onMode: (mode: MessageMode) => void
}) {
  const { active, mode, onMode } = props
  return (
    <span className="flex shrink-0">
      <Button
        kind="primary"
        icon="send"
        disabled={!props.isReady}
        onClick={props.onSend}
        className={active ? 'rounded-r-none' : undefined}
      >
        {active ? modeOf(AGENT_MODES, mode).label : 'Send'}
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
            items={AGENT_MODES.map((known) => ({
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
