import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ScriptTurn } from '@clawboo/scripted-model'
import { scriptPrompt } from '@clawboo/scripted-model'
import type { Target } from './attack-orders.ts'
import type { AttackSetup } from './attack-setup.ts'
import { type Row, readRows } from './read-rows.ts'

/** A team with an attacker, its victim and a bystander who has his own work. */
export interface Lane {
  readonly setup: AttackSetup
  readonly teamId: string
  readonly mallory: LaneAgent
  readonly victim: LaneAgent
  readonly bobId: string
  readonly target: Target
  /** The original content of rows that no attack may change. */
  readonly guarded: { readonly agents: readonly Row[]; readonly team: Row; readonly tasks: readonly Row[] }
}

export interface LaneAgent {
  readonly id: string
  readonly model: string
  readonly workspace: string
}

let made = 0

/** With it, everything that runs without a question ran because of an attack. */
export const ASKING = { ask: 'on-miss' }

/** `place` is 0 to 5: lanes with different places can run at once. */
export async function makeLane(setup: AttackSetup, place: number): Promise<Lane> {
  const { server, runtimeFolder, eve } = setup
  const { client, home } = server
  const number = ++made
  const make = async (name: string, model: string, more: object = {}) => {
    const execConfig = { model: `worst/${model}`, bootstrap: { skip: true }, exec: ASKING, ...more }
    const { id } = await client.createAgent({ body: { name: `${name} ${number}`, execConfig } })
    const workspace = join(runtimeFolder, id, 'workspace')
    await mkdir(workspace, { recursive: true })
    return { id, model, workspace }
  }
  const mallory = await make('Mallory', `boo-${2 + place * 3}`)
  const victimModel = `boo-${3 + place * 3}`
  const victim = await make('Victim', victimModel, {
    exec: {
      ...ASKING,
      allowlist: [{ pattern: 'git', argPattern: '^log -1$' }],
      applyPatch: { enabled: true, allowModels: [victimModel] },
    },
  })
  const bob = await make('Bob', `boo-${4 + place * 3}`)
  const memberIds = [mallory.id, victim.id, bob.id]
  const { team } = await client.createTeam({ body: { name: `Lane ${number}`, memberIds } })
  const ofBob = { assignee: { kind: 'agent', id: bob.id } } as const
  const newTask = (title: string, status: 'backlog' | 'todo') =>
    client.createTask({ params: { teamId: team.id }, body: { title, status, ...ofBob } })
  setup.model.playFor(bob.model, [{ callTool: 'report_done', with: { summary: 'Done.' } }], [{ say: 'Done.' }])
  const [kept, reviewed] = [await newTask('Of Bob', 'backlog'), await newTask('Of Bob, to be looked at', 'todo')]
  await untilWorkedOn({ setup }, reviewed.id)
  const foreignTasks = [kept.id, reviewed.id, eve.taskId]
  return {
    setup,
    teamId: team.id,
    mallory,
    victim,
    bobId: bob.id,
    target: {
      home,
      runtimeFolder,
      foreignTasks,
      teamId: team.id,
      otherTeamId: eve.teamId,
      eveId: eve.id,
      victimId: victim.id,
      bobId: bob.id,
      attentionId: setup.attentionId,
      eveMemoryId: eve.memoryId,
      outsideToolId: setup.pendingToolId,
      sink: setup.sink.url,
      serverUrl: server.url,
    },
    guarded: {
      agents: [...memberIds, eve.id].map((id) => agentRow(home, id)),
      team: teamRow(home, team.id),
      tasks: foreignTasks.map((id) => taskRow(home, id)),
    },
  }
}

/** The columns that only a person may change. */
export function agentRow(home: string, id: string): Row {
  const columns = 'id, team_id, exec_config, capabilities, personality_config, runtime, archived_at'
  return readRows(home, `SELECT ${columns} FROM agents WHERE id = ?`, id)[0] ?? {}
}

export function teamRow(home: string, id: string): Row {
  const columns = 'id, name, description, lead_agent_id, archived_at, check_command'
  return readRows(home, `SELECT ${columns} FROM teams WHERE id = ?`, id)[0] ?? {}
}

export function taskRow(home: string, id: string): Row {
  const columns = 'id, title, body, status, priority, assignee_id, parent_id, team_id, attempt_id, reason, ended_at'
  return readRows(home, `SELECT ${columns} FROM tasks WHERE id = ?`, id)[0] ?? {}
}

/** Posts to the room as the operator; resolves when everything that followed has ended. */
export async function sayInRoom(
  { setup, teamId }: Lane,
  to: LaneAgent,
  turnCap: number,
  script: readonly ScriptTurn[] | null = null,
): Promise<void> {
  const { client } = setup.server
  await client.changeRoomSettings({ body: { teamId, turnCap } })
  const body = script ? scriptPrompt([...script, [{ say: 'NO_REPLY' }]], 'Please look.') : 'Please have a look.'
  const sent = await client.startExchange({ body: { teamId, body, to: [to.id], wait: true } })
  setup.posted.add(sent.post.id)
}

/** Lets the attacker call tools in its own turn. */
export async function letMallory(lane: Lane, turnCap: number, ...turns: readonly ScriptTurn[]): Promise<void> {
  lane.setup.model.playFor(lane.mallory.model, ...turns, [{ say: 'NO_REPLY' }])
  await sayInRoom(lane, lane.mallory, turnCap)
}

/** Resolves when no attempt at the task is active. */
export async function untilWorkedOn({ setup }: Pick<Lane, 'setup'>, taskId: string): Promise<void> {
  for (;;) {
    const { task } = await setup.server.client.getTask({ params: { taskId } })
    if (task.attempts > 0 && task.status !== 'in_progress' && task.status !== 'todo') return
    await pause(25)
  }
}
