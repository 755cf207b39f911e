import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lane, letMallory, sayInRoom, untilWorkedOn } from './attack-lane.ts'
import type { Channel, Payload } from './payload-corpus.ts'
import { readRows } from './read-rows.ts'

/** Delivers a text to the victim's model, in a turn or a task that the host starts. */
export function deliverPayload(lane: Lane, payload: Payload): Promise<void> {
  return CHANNELS[payload.channel](lane, payload)
}

/** Shortens a text to the limit of its channel, which would refuse a longer one. */
export function fitChannel(channel: Channel, text: string): string {
  const most = MOST_CHARACTERS[channel]
  const cut = [...text].slice(0, most).join('').slice(0, most).toWellFormed()
  if (channel === 'task title') return cut.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim()
  return channel === 'agent name' ? cut.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim() : cut.replaceAll('\0', '')
}

const MOST_CHARACTERS: Readonly<Record<Channel, number>> = {
  'room post': 31_000,
  'task title': 190,
  'task body': 60_000,
  'task comment': 60_000,
  memory: 3_900,
  file: 30_000,
  'tool result': 20_000,
  'skill text': 20_000,
  'tool description': 7_900,
  'agent name': 55,
  'commit message': 20_000,
}

let files = 0

const CHANNELS: Readonly<Record<Channel, (lane: Lane, payload: Payload) => Promise<void>>> = {
  async 'room post'(lane, { text }) {
    await letMallory(lane, 2, [{ callTool: 'team_chat_post', with: { body: text, to: [lane.victim.id] } }])
  },
  'task title': (lane, { text }) => byTask(lane, { title: text }),
  'task body': (lane, { text }) => byTask(lane, { title: 'Please do', body: text }),
  'task comment': (lane, { text }) => byTask(lane, { title: 'Please do' }, text),
  async memory(lane, { text }) {
    await letMallory(lane, 1, [{ callTool: 'memory_save', with: { text, scope: 'team' } }])
    await sayInRoom(lane, lane.victim, 1, [[{ callTool: 'memory_browse', with: { limit: 1 } }]])
  },
  async file(lane, { text }) {
    const name = `notes-${++files}.md`
    await writeFile(join(lane.victim.workspace, name), text)
    await sayInRoom(lane, lane.victim, 1, [[{ callTool: 'read', with: { path: name } }]])
  },
  async 'tool result'(lane, { text }) {
    const n = ++files
    lane.setup.outsideTools.answers.set(n, text)
    const call = { callTool: 'call_tool', with: { tool: 'out/lookup', arguments: { n } } }
    await sayInRoom(lane, lane.victim, 1, [[call]])
  },
  async 'skill text'(lane, { text }) {
    const folder = join(lane.victim.workspace, 'skills', `note-${++files}`)
    await mkdir(folder, { recursive: true })
    const description = JSON.stringify(text.slice(0, 900).toWellFormed())
    await writeFile(join(folder, 'SKILL.md'), `---\nname: note-${files}\ndescription: ${description}\n---\n${text}\n`)
    await sayInRoom(lane, lane.victim, 1, [[{ callTool: 'read', with: { path: `skills/note-${files}/SKILL.md` } }]])
  },
  async 'tool description'(lane, { text }) {
    const tool = `out/${lane.setup.outsideTools.nameOf(text)}`
    await sayInRoom(lane, lane.victim, 1, [[{ callTool: 'describe_tool', with: { tool } }]])
  },
  async 'agent name'(lane, { text }) {
    await lane.setup.server.client.updateAgent({ params: { agentId: lane.mallory.id }, body: { name: text } })
    await sayInRoom(lane, lane.victim, 1, [])
  },
  async 'commit message'(lane, { text }) {
    const { client } = lane.setup.server
    const project = join(lane.setup.projects, lane.teamId)
    await mkdir(project, { recursive: true })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project, env: GIT_ENV, stdio: 'pipe' })
    git('init', '-q', '-b', 'main')
    await writeFile(join(project, 'message'), text)
    git('commit', '-q', '--allow-empty', '--cleanup=verbatim', '-F', 'message')
    await client.setTeamProject({ params: { teamId: lane.teamId }, body: { folder: project, checkCommand: null } })
    const look = { callTool: 'exec', with: { command: 'git log -1' } }
    const body = `\`\`\`script\n${JSON.stringify([[look], [{ say: 'Looked.' }]])}\n\`\`\``
    const assignee = { kind: 'agent', id: lane.victim.id } as const
    const { id } = await client.createTask({
      params: { teamId: lane.teamId },
      body: { title: 'What changed last?', body, assignee, changesFiles: true },
    })
    await untilWorkedOn(lane, id)
  },
}

const GIT_ENV = {
  PATH: process.env.PATH!,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  HOME: '/nonexistent',
  GIT_AUTHOR_NAME: 'Mallory',
  GIT_AUTHOR_EMAIL: 'm@example.test',
  GIT_COMMITTER_NAME: 'Mallory',
  GIT_COMMITTER_EMAIL: 'm@example.test',
}

/** The attacker creates a task for the victim, and the host starts it. */
async function byTask(lane: Lane, task: { title: string; body?: string }, comment?: string): Promise<void> {
  const { client, home } = lane.setup.server
  const made = { ...task, assignee: lane.victim.id, inBacklog: true }
  const tasksOfMallory = () =>
    readRows(home, 'SELECT id FROM tasks WHERE source_id = ?', lane.mallory.id).map(({ id }) => String(id))
  const before = tasksOfMallory()
  await letMallory(lane, 1, [{ callTool: 'create_task', with: made }])
  const taskId = tasksOfMallory().find((id) => !before.includes(id))
  if (taskId === undefined) throw new Error(`the task was refused: ${JSON.stringify(task).slice(0, 200)}`)
  if (comment !== undefined)
    await letMallory(lane, 1, [{ callTool: 'comment_task', with: { id: taskId, body: comment } }])
  await client.moveTask({ params: { taskId }, body: { to: 'todo' } })
  await untilWorkedOn(lane, taskId)
}
