import type { JsonObject } from '../gateway-config.ts'
import { pause, type Scenario, type Stage } from './stage.ts'

const FILES = ['AGENTS', 'SOUL', 'IDENTITY', 'USER', 'TOOLS', 'HEARTBEAT', 'MEMORY', 'BOOTSTRAP'].map((n) => `${n}.md`)

/** Agents, their files, sessions and settings: everything without a run. */
export const fleetScenarios: Readonly<Record<string, Scenario>> = {
  async agents({ gateway, attempt, ...stage }) {
    await attempt('agents.list')
    const workspace = `${gateway.dir}/workspace-research`
    await attempt('agents.create', { name: 'Research Boo', workspace, model: 'scripted/other', emoji: '🔎' })
    await listUntil({ attempt }, (ids) => ids.includes('research-boo'))
    await attempt('agents.create', { name: 'Research Boo', workspace })
    const plain = await attempt('agents.create', { name: 'Plain Boo' })
    if (plain) await listUntil({ attempt }, (ids) => ids.includes('plain-boo'))
    await attempt('agents.update', { agentId: 'research-boo', name: 'Renamed Boo', model: 'scripted/boo', emoji: '📚' })
    await attempt('agents.update', { agentId: 'nobody', name: 'Nobody' })
    await pause(2000)
    await attempt('agents.list')
    await attempt('agent.identity.get', { agentId: 'research-boo' })
    await stage.quiet()
  },

  async 'agents-deleted'({ attempt, quiet }) {
    await attempt('agents.list')
    for (const agentId of ['research-boo', 'plain-boo', 'nobody']) {
      const deleted = await attempt('agents.delete', { agentId, deleteFiles: agentId === 'plain-boo' })
      if (deleted) await listUntil({ attempt }, (ids) => !ids.includes(agentId))
    }
    await quiet()
  },

  async files({ gateway, attempt, quiet }) {
    await attempt('agents.create', { name: 'Filed Boo', workspace: `${gateway.dir}/workspace-filed` })
    await listUntil({ attempt }, (ids) => ids.includes('filed-boo'))
    const agentId = 'filed-boo'
    await attempt('agents.files.list', { agentId })
    await attempt('agents.files.get', { agentId, name: 'SOUL.md' })
    for (const name of FILES) await attempt('agents.files.set', { agentId, name, content: `# ${name}\n` })
    for (const name of FILES) await attempt('agents.files.get', { agentId, name })
    await attempt('agents.files.set', { agentId, name: 'NOTES.md', content: 'x' })
    await attempt('agents.files.set', { agentId, name: 'SOUL.md', content: '' })
    await attempt('agents.files.get', { agentId, name: 'SOUL.md' })
    await attempt('agents.files.list', { agentId })
    await attempt('agents.files.list', { agentId: 'nobody' })
    await quiet()
  },

  async sessions({ attempt, key, send, ended, quiet }) {
    await attempt('sessions.subscribe')
    await attempt('sessions.create', { key, agentId: 'main', label: 'A label' })
    const runId = await send([[{ say: 'Hello.' }]])
    await ended(runId)
    await quiet()
    await attempt('sessions.list', { agentId: 'main', limit: 3 })
    await attempt('sessions.patch', { key, label: 'Another label' })
    await attempt('sessions.patch', { key, model: 'scripted/other' })
    await attempt('sessions.patch', { key, model: 'nowhere/nothing' })
    await attempt('sessions.patch', { key, model: null })
    await attempt('sessions.reset', { key })
    await attempt('chat.history', { sessionKey: key })
    await attempt('sessions.delete', { key })
    await attempt('chat.history', { sessionKey: key })
    await quiet()
  },

  async 'config-patch'({ attempt, quiet }) {
    await attempt('models.list')
    const before = await attempt('config.get')
    const patch = (deny: readonly string[], more: JsonObject) =>
      attempt('config.patch', { raw: JSON.stringify({ tools: { deny } }), ...more })
    await patch(['browser'], {})
    await patch(['browser'], { baseHash: before?.hash })
    await patch(['browser', 'canvas'], { baseHash: before?.hash })
    const after = await attempt('config.get')
    await patch(['browser'], { baseHash: after?.hash })
    await attempt('config.patch', {
      raw: JSON.stringify({ tools: { deny: null } }),
      baseHash: after?.hash,
      replacePaths: ['tools.deny'],
    })
    await quiet()
  },

  async 'last-agent-deleted'({ attempt, quiet }) {
    const listed = await attempt('agents.list')
    for (const { id } of (listed?.agents ?? []) as { id: string }[]) await attempt('agents.delete', { agentId: id })
    await listUntil({ attempt }, (ids) => ids.length <= 1)
    await pause(2000)
    await attempt('agents.list')
    await attempt('chat.send', { sessionKey: 'agent:main:after', message: 'Hello', idempotencyKey: 'after-last-agent' })
    await quiet()
    await attempt('agents.create', { name: 'main' })
    await attempt('agents.create', { name: 'Next Boo' })
    await listUntil({ attempt }, (ids) => ids.includes('next-boo'))
    await quiet()
  },
}

async function listUntil({ attempt }: Pick<Stage, 'attempt'>, isSo: (ids: readonly string[]) => boolean) {
  for (let time = 0; time < 40; time++) {
    const listed = await attempt('agents.list')
    if (listed && isSo((listed.agents as { id: string }[]).map(({ id }) => id))) return
    await pause(500)
  }
}
