import { ClawbooError } from '@clawboo/core'
import type { Repositories, Store } from '../store/open-store.ts'
import type { OutsideToolRecord } from '../store/repositories/tools/outside-tools-repository.ts'
import { sortableId } from '../store/sortable-id.ts'
import { type OutsideTool, outsideTool } from './outside-tool.ts'
import { type FindingKind, kindsOf, scanDescriptor } from './scan-descriptor.ts'
import { hashDescriptor, type RefusedDescriptor, readDescriptors, type ToolDescriptor } from './tool-descriptor.ts'
import { readServerAddress } from './tool-server-address.ts'
import type { ToolServerClient } from './tool-server-client.ts'

/** A person who decides about tools, as identified by a credential. An agent cannot decide. */
type ToolPerson = { readonly kind: 'operator' } | { readonly kind: 'person'; readonly id: string }

export interface ReadServer {
  readonly tools: readonly OutsideTool[]
  /** The tools that cannot be stored. */
  readonly refused: readonly RefusedDescriptor[]
}

export type ToolRegistry = ReturnType<typeof createToolRegistry>

interface ToolRegistryDependencies {
  readonly store: Store
  readonly client: ToolServerClient
  /** The names of our own tools, which no other tool may take. */
  readonly ownTools: readonly string[]
  readonly now?: () => number
}

const LOCK = 'tools'
const REASON_CHARACTERS = 500
const GONE = 'the server no longer offers it'
const BACK = 'the server did not offer it for a while'
const CHANGED = 'its description or its arguments changed'

/** Outside MCP servers and the tools that a person allows. */
export function createToolRegistry(dependencies: ToolRegistryDependencies) {
  const { store, now = Date.now } = dependencies
  const scope: ToolScope = { ...dependencies, now }
  const change = async (
    id: string,
    by: ToolPerson,
    action: string,
    to: (tool: OutsideToolRecord) => OutsideToolRecord,
  ) =>
    store.transaction(async (tx) => {
      const tool = await tx.outsideTools.get(id)
      if (!tool) throw toolNotFound(id)
      const saved = to(tool)
      await tx.outsideTools.save(saved)
      const detail = { hash: saved.hash, reason: saved.reason, findings: kindsOf(outsideTool(saved).findings) }
      await audit(tx, now(), nameOf(by), action, refOf(tool), detail)
      return outsideTool(saved)
    }, LOCK)

  return {
    /** Stores the server's tools; none can be called yet. Throws `request_invalid`, `tool_server_failed`. */
    register: (server: { readonly name: string; readonly endpoint: string }, by: ToolPerson) =>
      registerServer(scope, server, by),
    servers: () => store.outsideTools.servers(),
    list: async (server?: string) => (await store.outsideTools.list(server)).map(outsideTool),
    /** Reads a server again and suspends changed tools. Throws `tool_not_found`, `tool_server_failed`. */
    refresh: (name: string, signal?: AbortSignal) => refreshServer(scope, name, signal),
    /** Approves a tool by its hash and its findings. Throws `tool_not_found`, `tool_approval_refused`. */
    approve: (
      id: string,
      looked: { readonly hash: string; readonly findings: readonly FindingKind[] },
      by: ToolPerson,
    ) =>
      change(id, by, 'tool.approve', (tool) => {
        refuseUnseen(tool, looked)
        const { descriptor: approvedDescriptor, hash: approvedHash } = tool
        const approval = { approvedDescriptor, approvedHash, approvedBy: nameOf(by), approvedAt: now() }
        return { ...tool, ...approval, state: 'approved', reason: null }
      }),
    suspend: (id: string, reason: string, by: ToolPerson) =>
      change(id, by, 'tool.suspend', (tool) => ({
        ...tool,
        state: 'suspended',
        reason: reason.toWellFormed().replaceAll('\0', '').slice(0, REASON_CHARACTERS) || 'a person suspended it',
      })),
    /** Removes the server and all its tools. Throws `tool_not_found`. */
    async remove(server: string, by: ToolPerson) {
      await store.transaction(async (tx) => {
        if (!(await tx.outsideTools.removeServer(server))) throw toolNotFound(server)
        await audit(tx, now(), nameOf(by), 'tool.remove', server, null)
      }, LOCK)
    },
  }
}

type ToolScope = ToolRegistryDependencies & { readonly now: () => number }

async function registerServer(
  scope: ToolScope,
  { name, endpoint }: { readonly name: string; readonly endpoint: string },
  by: ToolPerson,
): Promise<ReadServer> {
  const { store, now } = scope
  if (!/^[a-z][a-z\d-]{0,31}$/.test(name))
    throw invalid('name', 'a server’s name may contain only lower-case letters, digits and hyphens')
  const address = readServerAddress(endpoint)
  if (await store.outsideTools.server(name)) throw nameTaken(name)
  const { refused, write } = await readServer(scope, name, address)
  const tools = await store.transaction(async (tx) => {
    if (await tx.outsideTools.server(name)) throw nameTaken(name)
    await tx.outsideTools.insertServer({ name, endpoint: address, createdAt: now(), seenAt: now() })
    await audit(tx, now(), nameOf(by), 'tool.register', name, { endpoint: address })
    return write(tx)
  }, LOCK)
  return { tools, refused }
}

async function refreshServer(scope: ToolScope, name: string, signal?: AbortSignal): Promise<ReadServer> {
  const { store, now } = scope
  const server = await store.outsideTools.server(name)
  if (!server) throw toolNotFound(name)
  const { refused, write } = await readServer(scope, name, server.endpoint, signal)
  const tools = await store.transaction(async (tx) => {
    if (!(await tx.outsideTools.server(name))) throw toolNotFound(name)
    await tx.outsideTools.markSeen(name, now())
    return write(tx)
  }, LOCK)
  return { tools, refused }
}

async function readServer(
  { client, ownTools: own, now }: ToolScope,
  name: string,
  endpoint: string,
  signal?: AbortSignal,
) {
  const { descriptors, refused } = readDescriptors(await client.listTools(endpoint, signal))
  return {
    refused,
    write: (tx: Repositories) => writeSeen(tx, { server: name, seen: descriptors, own, at: now() }),
  }
}

interface SeenTools {
  readonly server: string
  readonly seen: readonly ToolDescriptor[]
  readonly own: readonly string[]
  readonly at: number
}

/**
 * Updates the rows of a server to what it sent. Makes nothing callable, and suspends tools that differ from their
 * approval.
 */
async function writeSeen(tx: Repositories, { server, seen, own, at }: SeenTools): Promise<OutsideTool[]> {
  const all = await tx.outsideTools.list()
  const known = new Map(all.filter((tool) => tool.server === server).map((tool) => [tool.name, tool]))
  const others = [...own, ...all.filter((tool) => tool.server !== server).map(({ name }) => name)]
  for (const descriptor of seen) {
    const before = known.get(descriptor.name)
    known.delete(descriptor.name)
    const hash = hashDescriptor(descriptor)
    const findings = JSON.stringify(scanDescriptor(descriptor, others))
    const current = { descriptor: JSON.stringify(descriptor), hash, findings }
    if (!before)
      await tx.outsideTools.insert({
        ...NEW,
        ...current,
        id: sortableId(at),
        server,
        name: descriptor.name,
        createdAt: at,
      })
    else if (before.hash !== hash) await noteChanged(tx, { ...before, ...current }, CHANGED, at)
    else if (before.reason === GONE) await noteChanged(tx, { ...before, ...current }, BACK, at)
    // An approved tool keeps its findings; for the next decision, the tools of other servers may have changed.
    else if (before.state !== 'approved') await tx.outsideTools.save({ ...before, ...current })
  }
  for (const gone of known.values()) {
    if (gone.approvedHash === null) await tx.outsideTools.remove(gone.id)
    else if (gone.reason !== GONE) await noteChanged(tx, gone, GONE, at)
  }
  return (await tx.outsideTools.list(server)).map(outsideTool)
}

const NEW = {
  state: 'pending',
  reason: null,
  approvedDescriptor: null,
  approvedHash: null,
  approvedBy: null,
  approvedAt: null,
} as const

async function noteChanged(tx: Repositories, tool: OutsideToolRecord, reason: string, at: number): Promise<void> {
  const wasDecided = tool.state !== 'pending'
  await tx.outsideTools.save(wasDecided ? { ...tool, state: 'suspended', reason } : tool)
  const detail = { hash: tool.hash, approvedHash: tool.approvedHash, reason }
  await audit(tx, at, 'server', 'tool.changed', refOf(tool), detail)
}

function refuseUnseen(
  tool: OutsideToolRecord,
  looked: { readonly hash: string; readonly findings: readonly FindingKind[] },
): void {
  const refuse = (message: string) => {
    throw new ClawbooError('tool_approval_refused', message, { details: { id: tool.id, hash: tool.hash } })
  }
  if (tool.reason === GONE) refuse(GONE)
  if (looked.hash !== tool.hash) refuse('the tool has changed since you looked at it')
  const missing = kindsOf(outsideTool(tool).findings).filter((kind) => !looked.findings.includes(kind))
  if (missing.length > 0) refuse(`the approval does not name these findings: ${missing.join(', ')}`)
}

function audit(tx: Repositories, at: number, actor: string, action: string, subject: string, detail: unknown) {
  return tx.audit.append({ at, actor, action, subject, detail })
}

function nameOf(by: ToolPerson): string {
  return by.kind === 'operator' ? 'operator' : `person:${by.id}`
}

function refOf({ server, name }: Pick<OutsideToolRecord, 'server' | 'name'>): string {
  return `${server}/${name}`
}

function toolNotFound(what: string): ClawbooError {
  return new ClawbooError('tool_not_found', `there is no tool or server "${what.slice(0, 200)}"`)
}

function nameTaken(name: string): ClawbooError {
  return invalid('name', `there is already a server "${name}"`)
}

function invalid(field: string, message: string): ClawbooError {
  return new ClawbooError('request_invalid', message, { details: { problems: [{ field, message }] } })
}
