import { type AgentEvent, EventQueue } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { isWishedFor } from './connection-wish.ts'
import type { OpenClawRoles } from './open-roles.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import { OPENCLAW_CLAIMS, openClawSessions } from './runtime/openclaw-claims.ts'

/**
 * The roles before anything of a Gateway is loaded: most people have none. What the registry knows is answered at once;
 * everything else loads the rest when it is first asked for, or at the start when a person wished for a connection.
 */
export function lateRoles(host: IntegrationHost): OpenClawRoles {
  const { records } = host
  const events = new EventQueue<AgentEvent>()
  const since = host.now()
  let loading: Promise<OpenClawRoles> | null = null
  let loaded: OpenClawRoles | null = null
  let isStarted = false
  const roles = () => {
    loading ??= import('./open-roles.ts').then(async ({ openRoles }) => {
      loaded = openRoles(host)
      void forward(loaded, events)
      if (isStarted) await loaded.agentSource.start()
      return loaded
    })
    return loading
  }
  const source = async () => (await roles()).agentSource
  const runtime = async () => (await roles()).runtime
  const connection = async () => (await roles()).connection
  const toolPolicy = async () => (await roles()).toolPolicy

  return {
    agentSource: {
      id: OPENCLAW_ID,
      listAgents: (options) => records.list(options),
      getAgent: (id) => records.get(id),
      listTeams: (options) => records.listTeams(options),
      listSessions: async (agentId) => (await source()).listSessions(agentId),
      createAgent: async (input) => (await source()).createAgent(input),
      updateAgent: async (id, patch) => (await source()).updateAgent(id, patch),
      deleteAgent: async (id) => (await source()).deleteAgent(id),
      removeGhosts: async () => (await source()).removeGhosts(),
      readFile: async (agentId, name) => (await source()).readFile(agentId, name),
      lookAtFiles: async (agentId) => (await source()).lookAtFiles(agentId),
      writeFile: async (...file) => (await source()).writeFile(...file),
      async start() {
        isStarted = true
        if (loaded) await loaded.agentSource.start()
        else if (await isWishedFor(host)) await roles()
      },
      async stop() {
        await (await loading)?.agentSource.stop()
        events.end()
      },
      async health() {
        if (loaded) return loaded.agentSource.health()
        return { state: 'disconnected', lastSyncAt: await records.lastSyncAt() }
      },
      sync: async () => (await source()).sync(),
      events: () => events.subscribe(),
    },
    runtime: {
      id: OPENCLAW_ID,
      participantKind: 'agent',
      capabilities: () => OPENCLAW_CLAIMS,
      sessionCodec: openClawSessions,
      async health() {
        return loaded ? loaded.runtime.health() : { state: 'needs-setup', detail: 'No OpenClaw Gateway is connected.' }
      },
      start: async (...task) => (await runtime()).start(...task),
      // A run that was started is one of what is loaded.
      events: (run) => loaded?.runtime.events(run) ?? endedEvents(),
      abort: async (run) => (await runtime()).abort(run),
      steer: async (run, prompt) => (await runtime()).steer(run, prompt),
      setModel: async (run, model) => (await runtime()).setModel(run, model),
      listModels: async () => (await runtime()).listModels(),
      checkModel: async (model) => (await runtime()).checkModel(model),
      answerApproval: async (...answer) => (await runtime()).answerApproval(...answer),
      hasPrompt: async (...prompt) => (await runtime()).hasPrompt(...prompt),
      endOrphan: async (...session) => (await runtime()).endOrphan(...session),
      resetSession: async (...session) => (await runtime()).resetSession(...session),
      forget: async (agentId) => loaded?.runtime.forget(agentId),
      dispose: async () => (await loading)?.runtime.dispose(),
    },
    connection: {
      async read() {
        if (loaded) return loaded.connection.read()
        const lastSyncAt = await records.lastSyncAt()
        return { state: 'disconnected', since, address: null, version: null, scopes: [], lastSyncAt, problem: null }
      },
      discover: async () => (await connection()).discover(),
      connect: async (wish) => (await connection()).connect(wish),
      disconnect: async () => (await connection()).disconnect(),
    },
    toolPolicy: {
      read: async () => (await toolPolicy()).read(),
      change: async (wish) => (await toolPolicy()).change(wish),
    },
  }
}

async function forward({ agentSource }: OpenClawRoles, events: EventQueue<AgentEvent>): Promise<void> {
  for await (const event of agentSource.events()) events.push(event)
}

async function* endedEvents(): AsyncGenerator<never> {}
