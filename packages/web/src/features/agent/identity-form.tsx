import { type FormEvent, useState } from 'react'
import { type AgentPatch, useUpdateAgent } from '../../api/agent/agents.ts'
import type { Agent } from '../../api/fleet.ts'
import { useAgentState } from '../../shared/agent/agent-look.tsx'
import { roleOf, seedOf, withRole } from '../../shared/agent/agent-words.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { formProblems } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { FormActions } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AvatarChoice } from './avatar-choice.tsx'

/** Changes a Boo's name, role, emoji and avatar. Nothing is saved before the person presses Save. */
export function IdentityForm({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const [before] = useState(agent)
  const [name, setName] = useState(agent.displayName)
  const [role, setRole] = useState(roleOf(agent) ?? '')
  const [emoji, setEmoji] = useState(agent.emoji ?? '')
  const [seed, setSeed] = useState(seedOf(agent))
  const update = useUpdateAgent(agent.id)
  const { eyes } = useAgentState(agent)
  const { at, rest } = formProblems(update.error, ['name', 'emoji', 'personalityConfig', 'personalityConfig.role'])
  const changes = () => identityPatch(before, agent, { name, role: role.trim(), emoji: emoji.trim(), seed })
  const save = (event: FormEvent) => {
    event.preventDefault()
    const patch = changes()
    if (Object.keys(patch).length === 0) return onClose()
    update.mutate(patch, {
      onSuccess: (saved) => {
        announce(`Saved ${saved.displayName}`)
        onClose()
      },
    })
  }
  return (
    <form onSubmit={save} noValidate className="flex flex-col gap-4 wide:flex-row wide:gap-6">
      <AvatarChoice seed={seed} eyes={eyes} person={agent.participantKind === 'human'} onChange={setSeed} />
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={at.name}
          autoFocus
          autoComplete="off"
        />
        <TextField
          label="Role"
          hint="One line about what it does."
          value={role}
          onChange={(event) => setRole(event.target.value)}
          error={at['personalityConfig.role'] ?? at.personalityConfig}
          autoComplete="off"
        />
        <TextField
          label="Emoji"
          value={emoji}
          onChange={(event) => setEmoji(event.target.value)}
          error={at.emoji}
          autoComplete="off"
          className="max-w-[120px]"
        />
        <ProblemLine>{rest}</ProblemLine>
        <FormActions saving={update.isPending} onCancel={onClose} />
        <LeaveGuard isDirty={() => !update.isSuccess && Object.keys(changes()).length > 0} />
      </div>
    </form>
  )
}

/** Returns only the fields changed here, because the others may have changed elsewhere. */
function identityPatch(
  before: Agent,
  now: Agent,
  typed: { readonly name: string; readonly role: string; readonly emoji: string; readonly seed: string },
): AgentPatch {
  return {
    ...(typed.name === before.displayName ? {} : { name: typed.name }),
    ...(typed.role === (roleOf(before) ?? '')
      ? {}
      : { personalityConfig: withRole(now.personalityConfig, typed.role) }),
    ...(typed.emoji === (before.emoji ?? '') ? {} : { emoji: typed.emoji === '' ? null : typed.emoji }),
    ...(typed.seed === seedOf(before) ? {} : { avatarSeed: typed.seed }),
  }
}
