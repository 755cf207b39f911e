import { useState } from 'react'
import type { Agent, SourceStatus } from '../../api/fleet.ts'
import { useGoneAgents, useRemoveGone } from '../../api/sources.ts'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { counted } from '../../ui/words/time-words.ts'
import { namesWords } from './runtime-words.ts'

/** Boos that were deleted at the upstream. They are not in the fleet, and are kept until a person removes them. */
export function GoneBoos({ source, isConnected }: { source: SourceStatus; isConnected: boolean }) {
  const [removing, setRemoving] = useState(false)
  const gone = useGoneAgents().data?.filter((agent) => agent.sourceId === source.sourceId) ?? []
  if (gone.length === 0) return null
  const boos = counted(gone.length, 'Boo is', 'Boos are')
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-3 text-sm">
      <p className="min-w-0 flex-1 basis-60 text-muted">
        {`${boos} gone there: ${namesWords(gone.map(({ displayName }) => displayName))}. What belongs to ${gone.length === 1 ? 'it' : 'them'} is kept here in case ${gone.length === 1 ? 'it comes' : 'they come'} back.`}
        {isConnected ? '' : ' They can be removed while it is connected.'}
      </p>
      {isConnected ? (
        <Button kind="danger" onClick={() => setRemoving(true)}>
          {`Remove ${counted(gone.length, 'Boo that is', 'Boos that are')} gone there`}
        </Button>
      ) : null}
      {removing ? <RemoveDialog source={source} gone={gone} onClose={() => setRemoving(false)} /> : null}
    </div>
  )
}

function RemoveDialog(props: {
  readonly source: SourceStatus
  readonly gone: readonly Agent[]
  readonly onClose: () => void
}) {
  const { source, gone, onClose } = props
  const remove = useRemoveGone(source.sourceId)
  return (
    <ConfirmDialog
      title={`Remove ${counted(gone.length, 'Boo')} for good?`}
      change={remove}
      action="remove them"
      confirm={['Remove for good', 'Removing']}
      keep="Keep them"
      onClose={onClose}
      onDone={({ removed }) => {
        announce(
          removed.length === 0 ? 'Nothing was removed: they are back' : `Removed ${counted(removed.length, 'Boo')}`,
        )
        onClose()
      }}
    >
      <p>{`${source.label} no longer has them:`}</p>
      <ul className="max-h-40 list-disc overflow-y-auto pl-5 text-text">
        {gone.map((agent) => (
          <li key={agent.id} className="break-words">
            {agent.displayName}
          </li>
        ))}
      </ul>
      <p>
        This deletes their files with history, conversations, runs and memories here. Their messages in rooms and the
        tasks they worked on stay. Boos that are back by then are kept.
      </p>
    </ConfirmDialog>
  )
}
