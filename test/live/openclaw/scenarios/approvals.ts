import type { JsonObject } from '../gateway-config.ts'
import type { Frame } from '../raw-client.ts'
import { pause, type Scenario, type Stage } from './stage.ts'

const asking = (command: string) => [[{ callTool: 'exec', with: { command } }], [{ say: 'After the command.' }]]

/** Records a guarded session whose agent asks to run a command, and the effects of `act`. */
function asked(act: (stage: Stage, approvalId: string, runId: string) => Promise<void>): Scenario {
  return async (stage) => {
    const { client, key, send, quiet, history, attempt } = stage
    await guard(stage, key)
    const runId = await send(asking('mkdir -p made-by-approval && echo approved-ran'))
    const { payload } = await client.until((frame) => isRequestOf(frame, key))
    await attempt('exec.approval.list')
    await act(stage, String((payload as JsonObject).id), runId)
    await quiet()
    await history()
  }
}

/** Actions that need approval. */
export const approvalScenarios: Readonly<Record<string, Scenario>> = {
  'approval-allowed': asked(async ({ attempt, ended }, id, runId) => {
    await attempt('exec.approval.resolve', { id, decision: 'allow-once' })
    await ended(runId)
    await attempt('exec.approval.resolve', { id, decision: 'deny' })
  }),

  'approval-allowed-always': asked(async ({ attempt, ended, send }, id, runId) => {
    await attempt('exec.approval.resolve', { id, decision: 'allow-always' })
    await pause(3000)
    await attempt('exec.approval.resolve', { id, decision: 'allow-once' })
    await ended(runId)
    await attempt('exec.approvals.get')
    const again = await send(asking('uname'))
    await Promise.race([ended(again), pause(30_000)])
    await attempt('chat.abort', { sessionKey: 'agent:main:approval-allowed-always' })
  }),

  'approval-denied': asked(async ({ attempt, ended }, id, runId) => {
    await attempt('exec.approval.resolve', { id, decision: 'deny' })
    await ended(runId)
  }),

  'approval-aborted': asked(async ({ attempt, ended, key }, id, runId) => {
    await attempt('chat.abort', { sessionKey: key, runId })
    await ended(runId)
    await pause(2000)
    await attempt('exec.approval.list')
    await attempt('exec.approval.resolve', { id, decision: 'allow-once' })
  }),

  'approval-unknown': async ({ attempt }) => {
    await attempt('exec.approval.resolve', { id: 'no-such-approval', decision: 'deny' })
    await attempt('exec.approval.get', { id: 'no-such-approval' })
  },

  async 'approval-steered'(stage) {
    await asked(async ({ attempt, ended, send }, id, runId) => {
      await send([[{ say: 'Steered answer.' }]])
      await pause(5000)
      await attempt('exec.approval.list')
      await attempt('exec.approval.resolve', { id, decision: 'allow-once' })
      await ended(runId)
    })(stage)
  },

  async 'guarded-tools'(stage) {
    const { key, send, ended, quiet, history } = stage
    await guard(stage, key)
    const runId = await send([
      [{ callTool: 'write', with: { path: 'guarded.txt', content: 'inside' } }],
      [{ callTool: 'read', with: { path: 'guarded.txt' } }],
      [{ callTool: 'edit', with: { path: 'guarded.txt', edits: [{ oldText: 'inside', newText: 'changed' }] } }],
      [{ callTool: 'write', with: { path: `${stage.gateway.dir}/outside.txt`, content: 'outside' } }],
      [{ callTool: 'process', with: { action: 'list' } }],
      [{ echo: 'toolNames' }],
    ])
    await ended(runId)
    await quiet()
    await history()
  },

  async 'approval-allowed-before'(stage) {
    const { key, attempt, client, send, ended, quiet, history } = stage
    await guard(stage, key)
    const held = await attempt('exec.approvals.get')
    const file = (held?.file ?? {}) as JsonObject
    const agents = (file.agents ?? {}) as JsonObject
    const main = { ...((agents.main as JsonObject) ?? {}), allowlist: [{ pattern: '/**/uname' }, { pattern: 'uname' }] }
    await attempt('exec.approvals.set', { file: { ...file, agents: { ...agents, main } }, baseHash: held?.hash })
    await attempt('exec.approvals.get')
    const allowed = await send(asking('uname -s'))
    await Promise.race([ended(allowed), client.until((frame) => isRequestOf(frame, key))])
    await attempt('chat.abort', { sessionKey: key })
    await ended(allowed)
    await quiet()
    const asks = await send(asking('uname -s && id -u'))
    await Promise.race([ended(asks), client.until((frame) => isRequestOf(frame, key))])
    await attempt('chat.abort', { sessionKey: key })
    await quiet()
    await history()
    const now = await attempt('exec.approvals.get')
    await attempt('exec.approvals.set', { file, baseHash: now?.hash })
  },
}

function isRequestOf({ event, payload }: Frame, sessionKey: string): boolean {
  const { request } = (payload ?? {}) as { request?: JsonObject }
  return event === 'exec.approval.requested' && request?.sessionKey === sessionKey
}

/** Older Gateways have two settings instead of modes. */
async function guard({ attempt }: Stage, key: string): Promise<void> {
  await attempt('sessions.create', { key, agentId: 'main' })
  if (await attempt('sessions.patch', { key, permissionMode: 'guarded' })) return
  await attempt('sessions.patch', { key, execSecurity: 'allowlist', execAsk: 'on-miss' })
}
