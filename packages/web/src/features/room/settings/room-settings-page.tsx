import { MAX_TURNS } from '@clawboo/core/team-chat'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { type RoomSettings, useChangeRoomSettings, useRoomSettings } from '../../../api/room/room-actions.ts'
import type { Team } from '../../../api/teams.ts'
import { Loaded, MissingPage, TeamLoader } from '../../../shared/loaded.tsx'
import { ProblemLine } from '../../../shared/problem.tsx'
import { fieldProblems, saveProblem } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { PageHeader, Section } from '../../../ui/page-header.tsx'
import { TextField } from '../../../ui/text-field.tsx'

const route = getRouteApi('/shell/teams/$teamId/room/settings')

export function RoomSettingsPage() {
  const { teamId } = route.useParams()
  return (
    <TeamLoader teamId={teamId} title="Room settings" missing={<MissingPage name="Team" />}>
      {(team) => <TeamSettings key={team.id} team={team} />}
    </TeamLoader>
  )
}

function TeamSettings({ team }: { team: Team }) {
  const settings = useRoomSettings(team.id)
  return (
    <>
      <PageHeader title="Room settings" sub={team.name} documentTitle={`Room settings of ${team.name}`}>
        <Link to="/teams/$teamId/room" params={{ teamId: team.id }} className={buttonClass()}>
          <Icon name="chat" size={14} />
          Back to the room
        </Link>
      </PageHeader>
      <Loaded reading={settings} name="the settings" rows={3}>
        {(data) => <SettingsForm team={team} settings={data} />}
      </Loaded>
    </>
  )
}

function SettingsForm({ team, settings }: { team: Team; settings: RoomSettings }) {
  const form = useSettingsForm(team, settings)
  return (
    <form onSubmit={form.submit} noValidate className="flex min-h-0 flex-col overflow-y-auto">
      <Section title="Turns" about="The most turns that one message can start.">
        <TextField
          label="Most turns in one exchange"
          hint={`Empty uses the default of ${settings.defaultTurnCap}. Never more than two for each Boo of the team.`}
          inputMode="numeric"
          autoComplete="off"
          className="max-w-[320px]"
          value={form.cap}
          error={form.capProblem}
          onChange={(event) => form.typeCap(event.target.value)}
        />
      </Section>
      <Section title="Reports" about="What the room does when work on the board ends.">
        <label className="flex max-wide:min-h-10 items-start gap-2.5">
          <input
            type="checkbox"
            checked={form.wakesLeader}
            onChange={(event) => form.chooseWakes(event.target.checked)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span>
            <span className="block font-[550]">A report wakes the leader</span>
            <span className="block text-sm text-muted">
              When a task is done or blocked and no exchange is in progress, an exchange starts and the leader replies.
              It costs model calls although no one wrote a message.
            </span>
          </span>
        </label>
      </Section>
      <div className="flex flex-col gap-3 px-5 py-4">
        <ProblemLine>{form.problem}</ProblemLine>
        <Button type="submit" kind="primary" className="self-start" disabled={form.isSaving || !form.isChanged}>
          {form.isSaving ? 'Saving' : 'Save'}
        </Button>
      </div>
      <LeaveGuard isDirty={() => form.isChanged && !form.isSaving} />
    </form>
  )
}

function useSettingsForm(team: Team, settings: RoomSettings) {
  const saved = settings.turnCap === null ? '' : String(settings.turnCap)
  /** null = the saved value, which can also change elsewhere. */
  const [typedCap, setCap] = useState<string | null>(null)
  const [chosenWakes, setWakes] = useState<boolean | null>(null)
  const [misread, setMisread] = useState<string | undefined>()
  const save = useChangeRoomSettings(team.id)
  const cap = typedCap ?? saved
  const wakesLeader = chosenWakes ?? settings.wakesLeader
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readTurnCap(cap)
    if ('problem' in read) return setMisread(read.problem)
    save.mutate(
      { ...(typedCap === null ? {} : read), ...(chosenWakes === null ? {} : { wakesLeader: chosenWakes }) },
      {
        onSuccess: () => {
          announce(`Saved the room settings of ${team.name}`)
          setCap(null)
          setWakes(null)
        },
      },
    )
  }
  const refused = fieldProblems(save.error).turnCap
  return {
    cap,
    wakesLeader,
    submit,
    capProblem: misread ?? refused,
    problem: save.error && !refused ? saveProblem(save.error) : null,
    isSaving: save.isPending,
    isChanged: cap.trim() !== saved || wakesLeader !== settings.wakesLeader,
    typeCap: (text: string) => {
      setMisread(undefined)
      setCap(text)
    },
    chooseWakes: setWakes,
  }
}

/** Parses the turn cap: a number, null for the default, or the problem. */
export function readTurnCap(typed: string): { readonly turnCap: number | null } | { readonly problem: string } {
  const text = typed.trim()
  if (text === '') return { turnCap: null }
  const turnCap = Number(text)
  const isCap = /^\d+$/.test(text) && turnCap >= MAX_TURNS.least && turnCap <= MAX_TURNS.most
  return isCap
    ? { turnCap }
    : { problem: `A whole number from ${MAX_TURNS.least} to ${MAX_TURNS.most}, or empty for the default.` }
}
