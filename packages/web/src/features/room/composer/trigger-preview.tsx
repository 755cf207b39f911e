import type { RoomPreview } from '../../../api/room/room-actions.ts'
import { AgentAvatar } from '../../../shared/agent/agent-look.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { listed } from '../../../ui/words/sentence.ts'

import type { RoomMembers } from '../room-members.ts'
import { boundWords, droppedWords, nobodyWords, type PreviewedBoo, previewedBoos } from './preview-words.ts'

/** The Boos that would reply, and the estimated cost. An unticked Boo does not reply. */
export function TriggerPreview(props: {
  /** undefined = not known yet. */
  readonly preview: RoomPreview | undefined
  readonly hasFailed: boolean
  readonly skip: readonly string[]
  readonly members: RoomMembers
  readonly onSkip: (agentId: string, isSkipped: boolean) => void
  readonly onSayOnly: () => void
}) {
  const { preview, skip, members, onSkip } = props
  const boos = preview ? previewedBoos(preview, skip) : []
  const running = boos.filter(({ isSkipped }) => !isSkipped)
  const inVain = preview ? droppedWords(preview.dropped, skip, members.nameOf) : []
  return (
    <section aria-label="Who will reply" className="flex flex-col gap-1 px-1 pb-2 text-sm text-muted">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p>{leadWords(preview, props.hasFailed, running.length, members)}</p>
        {boos.length === 0 ? null : (
          <ul className="flex max-h-[92px] min-w-0 gap-1.5 overflow-y-auto max-wide:order-1 max-wide:-mx-1 max-wide:basis-full max-wide:overflow-x-auto max-wide:p-1 wide:flex-wrap">
            {boos.map((boo) => (
              <li key={boo.agentId} className="shrink-0">
                <BooTick boo={boo} members={members} onSkip={(isSkipped) => onSkip(boo.agentId, isSkipped)} />
              </li>
            ))}
          </ul>
        )}
        <span className="ml-auto flex items-center justify-end gap-x-3 max-wide:contents">
          {preview && running.length > 0 ? (
            <span className="tabular-nums max-wide:ml-auto">{boundWords(preview)}</span>
          ) : null}
          <button
            type="button"
            onClick={props.onSayOnly}
            className="rounded-s font-[550] text-accent-text underline-offset-2 hover:underline max-wide:order-2 max-wide:-my-1 max-wide:ml-auto max-wide:min-h-10"
          >
            Post without a reply
          </button>
        </span>
      </div>
      {inVain.map((sentence) => (
        <p key={sentence} className="text-needs">
          {sentence}
        </p>
      ))}
      <p role="status" className="sr-only">
        {running.length === 0 ? '' : `Will run: ${listed(running.map(({ agentId }) => members.nameOf(agentId)))}`}
      </p>
    </section>
  )
}

function leadWords(
  preview: RoomPreview | undefined,
  hasFailed: boolean,
  running: number,
  members: RoomMembers,
): string {
  if (!preview) return hasFailed ? "Couldn't check who will reply." : 'Checking who will reply'
  if (running > 0) return 'Will reply'
  return nobodyWords(members)
}

function BooTick(props: {
  readonly boo: PreviewedBoo
  readonly members: RoomMembers
  readonly onSkip: (isSkipped: boolean) => void
}) {
  const { boo, members } = props
  const agent = members.agent(boo.agentId)
  return (
    <label
      className={classNames(
        'flex h-7 max-wide:h-10 cursor-pointer items-center gap-1.5 rounded-full border border-line-strong bg-raised pr-2.5 pl-1.5 has-focus-visible:outline-2 has-focus-visible:outline-accent',
        !boo.isSkipped && 'text-text',
      )}
    >
      <input
        type="checkbox"
        checked={!boo.isSkipped}
        onChange={(event) => props.onSkip(!event.target.checked)}
        className="size-3.5 accent-accent outline-none"
      />
      {agent ? <AgentAvatar agent={agent} size={18} /> : null}
      <span>
        <span className={boo.isSkipped ? 'line-through' : undefined}>{members.nameOf(boo.agentId)}</span>
        {` · ${boo.why}`}
      </span>
    </label>
  )
}
