import { useState } from 'react'
import { useAgentFiles } from '../../api/agent/agent-files.ts'
import { useDeleteAgent } from '../../api/agent/agents.ts'
import { type Agent, useFleet } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { counted } from '../../ui/words/time-words.ts'

/** Collapses the spaces of a name, because a person cannot see how many there are. */
function asRead(name: string): string {
  return name.normalize().replace(/\s+/g, ' ').trim()
}

/** Deletes a Boo after the person types its name. Lists exactly what is deleted. */
export function DeleteAgentDialog(props: { agent: Agent; onClose: () => void; onDeleted: () => void }) {
  const { agent, onClose, onDeleted } = props
  const [typed, setTyped] = useState('')
  const remove = useDeleteAgent(agent.id)
  const sure = asRead(typed) === asRead(agent.displayName)
  return (
    <ConfirmDialog
      title={`Delete ${agent.displayName}?`}
      change={remove}
      action="delete it"
      confirm={['Delete for good', 'Deleting']}
      keep="Keep it"
      isDisabled={!sure}
      onClose={onClose}
      onDone={onDeleted}
    >
      <WhatGoes agent={agent} />
      <TextField
        label={`Type ${agent.displayName} to delete it`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoFocus
        autoComplete="off"
        spellCheck={false}
      />
    </ConfirmDialog>
  )
}

function WhatGoes({ agent }: { agent: Agent }) {
  const files = useAgentFiles(agent.id).data
  const team = useTeams().data?.find(({ id }) => id === agent.teamId)
  const source = useFleet().data?.sources.find(({ sourceId }) => sourceId === agent.sourceId)
  const written = files?.filter((file) => file.latest !== null) ?? []
  const revisions = written.reduce((sum, file) => sum + (file.latest?.revision ?? 0), 0)
  return (
    <div>
      <p>This deletes for good:</p>
      <ul className="mt-1 list-disc pl-5">
        <li>{`${agent.displayName} itself, here and at its source${source ? ` (${source.label})` : ''}`}</li>
        <li>
          {files === undefined
            ? 'all its files with their history'
            : written.length === 0
              ? 'no files: none was ever written'
              : `${counted(written.length, 'file')} with ${counted(revisions, 'revision')}: ${written.map(({ name }) => name).join(', ')}`}
        </li>
        <li>its sessions</li>
      </ul>
      {team ? <p className="mt-2">{`The team ${team.name} and its other members stay.`}</p> : null}
    </div>
  )
}
