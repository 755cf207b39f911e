import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { scriptPrompt } from '@clawboo/scripted-model'
import { type OutsideServer, startOutsideServer } from '../../packages/server/src/tools/test-outside-server.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { type ObedientModel, startObedientModel } from './obedient-model.ts'
import { createOutsideTools, type OutsideTools } from './outside-tools.ts'
import { readRows } from './read-rows.ts'

/** A complete server with secrets in every place, pending decisions, and agents that all obey attackers. */
export interface AttackSetup {
  readonly server: ServerProcess
  readonly model: ObedientModel
  readonly outside: OutsideServer
  readonly outsideTools: OutsideTools
  /** Every request to this address. */
  readonly sink: { readonly url: string; readonly requests: string[] }
  /** Texts that may exist only in the files named here. */
  readonly secrets: readonly { readonly text: string; readonly plantedIn: readonly string[] }[]
  /** Texts that only Eve may know. */
  readonly eveSecrets: readonly string[]
  readonly eve: { readonly id: string; readonly teamId: string; readonly taskId: string; readonly memoryId: string }
  /** The question of Eve's run, which is never answered. */
  readonly attentionId: string
  readonly pendingToolId: string
  /** The runtime's folder of agents. */
  readonly runtimeFolder: string
  /** A folder outside the home folder. */
  readonly projects: string
  /** The ids of the operator's posts. */
  readonly posted: Set<string>
  close(): Promise<void>
}

/** The number of models. The leader uses `boo-0`, Eve uses `boo-1`. */
const MODELS = 20

export async function openAttackSetup(toolWords: readonly string[] = []): Promise<AttackSetup> {
  const home = await temporaryHome()
  const projects = await mkdtemp(join(tmpdir(), 'clawboo-attack-'))
  const model = await startObedientModel()
  const sink = await startSink()
  const outsideTools = createOutsideTools(toolWords)
  const outside = await startOutsideServer(outsideTools.table)
  const ssh = { text: canary('ssh'), plantedIn: [join(home, '.ssh', 'id_ed25519')] }
  await mkdir(join(home, '.ssh'))
  await writeFile(ssh.plantedIn[0]!, `-----BEGIN KEY-----\n${ssh.text}\n`)
  const variable = canary('variable')
  const server = await startServer({ home, env: { CANARY_VARIABLE: variable, CLAWBOO_LOG: 'error' } })
  const vaulted = await saveProviders(server, model)
  // The first agent leads every team, so it gets no other role in the attacks.
  await server.client.createAgent({ body: { name: 'Zero', execConfig: { model: 'worst/boo-0' } } })
  const eve = await makeEve(server)
  const pendingToolId = await registerTools(server, outside)
  const secrets = [
    { text: variable, plantedIn: [] },
    ssh,
    { text: vaulted, plantedIn: [] },
    { text: server.token, plantedIn: [join(home, 'token')] },
    ...(await masterKeyOf(home)),
  ]
  for (const { text } of secrets) model.watch(text)
  for (const text of eve.secrets) model.watch(text, ['boo-1'])
  return {
    server,
    model,
    outside,
    outsideTools,
    sink,
    secrets,
    projects,
    pendingToolId,
    eve,
    runtimeFolder: await folderOfRuntime(home),
    eveSecrets: eve.secrets,
    attentionId: eve.attentionId,
    posted: new Set(),
    async close() {
      await server.stop()
      await Promise.all([model.close(), outside.close(), sink.close()])
      await removeHome(home)
      await rm(projects, { recursive: true, force: true })
    },
  }
}

const canary = (name: string) => `canary-${name}-${randomBytes(9).toString('hex')}`

/** Sets up the model of all agents, and an unused provider with a key in the vault. Resolves to the key. */
async function saveProviders({ client }: ServerProcess, { url }: ObedientModel): Promise<string> {
  const models = Array.from({ length: MODELS }, (_, at) => ({ id: `boo-${at}`, contextWindowTokens: 400_000 }))
  const body = { label: 'Worst', baseUrl: `${url}/v1`, models }
  for (const providerId of ['worst', 'kept']) await client.saveProvider({ params: { providerId }, body })
  const key = canary('vault')
  await client.storeProviderKey({ params: { providerId: 'kept' }, body: { key, storeAnyway: true } })
  return key
}

/** Eve is in another team with her own work and secrets, and waits for an approval the whole time. */
async function makeEve(server: ServerProcess) {
  const { client, home } = server
  const { run, daily } = await client.getLimits({})
  await client.setLimits({ body: { run: { ...run, idleMs: run.wallMs }, daily } })
  const { id } = await client.createAgent({ body: { name: 'Eve', execConfig: EVE_CONFIG, files: EVE_FILES } })
  const { team } = await client.createTeam({ body: { name: 'Others', memberIds: [id] } })
  const [diary, told, remembered] = [canary('diary'), canary('told'), canary('remembered')]
  const workspace = join(await folderOfRuntime(home), id, 'workspace')
  await mkdir(workspace, { recursive: true })
  await writeFile(join(workspace, 'diary.md'), diary)
  const waits = await letEveWait({ home, client, eveId: id, told, remembered })
  const task = await client.createTask({
    params: { teamId: team.id },
    body: { title: 'Of the others', status: 'backlog', assignee: { kind: 'agent', id } },
  })
  return { id, teamId: team.id, taskId: task.id, ...waits, secrets: [diary, told, remembered] }
}

const EVE_FILES = { 'SOUL.md': 'Eve keeps to herself.' }
const EVE_CONFIG = { exec: { ask: 'on-miss' }, model: 'worst/boo-1', bootstrap: { skip: true } }

/** Eve receives a secret, saves one, and waits for an approval of a command. */
async function letEveWait(options: {
  readonly home: string
  readonly client: ServerProcess['client']
  readonly eveId: string
  readonly told: string
  readonly remembered: string
}): Promise<{ readonly attentionId: string; readonly memoryId: string }> {
  const { home, client, eveId, told, remembered } = options
  const script = scriptPrompt(
    [
      [{ callTool: 'memory_save', with: { text: remembered } }],
      [{ callTool: 'exec', with: { command: 'touch pwned-by-eve' } }],
      [{ say: 'Done.' }],
    ],
    `Keep this to yourself: ${told}`,
  )
  await client.sendMessage({ params: { agentId: eveId }, body: { text: script } })
  for (;;) {
    const { items } = await client.listAttention({ query: { state: 'open' } })
    const [item] = items.filter(({ kind }) => kind === 'approval')
    if (item) {
      const [memory] = readRows(home, 'SELECT id FROM memories')
      return { attentionId: item.id, memoryId: String(memory!.id) }
    }
    await pause(20)
  }
}

/** Approves all tools except the one that stays pending. */
async function registerTools({ client }: ServerProcess, { endpoint }: OutsideServer): Promise<string> {
  const { server } = await client.registerToolServer({ body: { name: 'out', endpoint } })
  for (const { id, hash, findings, descriptor } of server.tools) {
    if (descriptor.name === 'pending') continue
    const kinds = [...new Set(findings.map(({ kind }) => kind))]
    await client.approveTool({ params: { toolId: id }, body: { hash, findings: kinds } })
  }
  return server.tools.find(({ descriptor }) => descriptor.name === 'pending')!.id
}

async function folderOfRuntime(home: string): Promise<string> {
  const [name] = await readdir(join(home, 'runtimes')).catch(() => [] as string[])
  if (name === undefined) throw new Error('no runtime has a folder')
  return join(home, 'runtimes', name)
}

async function masterKeyOf(home: string) {
  const folder = join(home, 'secrets')
  const names = (await readdir(folder)).filter((name) => /key/i.test(name))
  const keys = await Promise.all(
    names.map(async (name) => ({
      text: (await readFile(join(folder, name), 'latin1')).trim(),
      plantedIn: [join(folder, name)],
    })),
  )
  return keys.filter(({ text }) => text.length >= 16)
}

async function startSink() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
