import { findRecording, type Json, type Recording } from './test-recordings.ts'

/** One request and its answer. */
export interface RecordedCall {
  readonly method: string
  readonly params: Json
  readonly ok: boolean
  /** The payload, or the error. */
  readonly answer: Json
}

/** The differences between the recorded Gateway releases. */
export interface VersionFacts {
  /** The supported names of agent files. */
  readonly files: readonly string[]
  /** The files that the Gateway writes when an agent is created. */
  readonly bornWith: readonly string[]
  /** Creating an agent requires a workspace folder. */
  readonly needsWorkspace: boolean
  /** A session accepts `permissionMode`; older releases have two settings instead. */
  readonly hasPermissionMode: boolean
  /** A prompt can choose how it is handled while the session is busy. */
  readonly takesQueueMode: boolean
  readonly patchesPerMinute: number
  /** The error for a settings change without a base hash. */
  baseHashRequired(path: string): string
  /** The error for files of an unknown agent. */
  filesOfNobody(agentId: string): string
}

const FILES = ['AGENTS', 'SOUL', 'USER', 'IDENTITY', 'MEMORY', 'BOOTSTRAP'].map((name) => `${name}.md`)

export function versionFacts(version: string): VersionFacts {
  const calls = (name: string) => {
    const recording = findRecording(version, name)
    return recording ? callsIn(recording) : []
  }
  const taken = calls('files').filter(({ method, ok }) => method === 'agents.files.set' && ok)
  const refused = calls('agents').filter(({ method, ok }) => method === 'agents.create' && !ok)
  const modes = calls('approval-allowed').filter(({ params, ok }) => params.permissionMode !== undefined && !ok)
  const queued = calls('followup').filter(({ params, ok }) => params.queueMode !== undefined && !ok)
  const patches = calls('config-patch').filter(({ method, ok }) => method === 'config.patch' && !ok)
  const limit = patches
    .map(({ answer }) => String((answer.details as Json | undefined)?.limit))
    .find((each) => /^\d/.test(each))
  const unbased = patches.find(({ params }) => params.baseHash === undefined)?.answer.message
  const first = calls('files').find(({ method, ok }) => method === 'agents.files.list' && ok)
  const listed = (first?.answer.files ?? []) as readonly { readonly name: string; readonly missing: boolean }[]
  const nobody = calls('files').find(({ params, ok }) => params.agentId === 'nobody' && !ok)
  return {
    files: taken.length === 0 ? FILES : [...new Set(taken.map(({ params }) => String(params.name)))],
    bornWith: listed.filter(({ missing }) => !missing).map(({ name }) => name),
    needsWorkspace: refused.some(({ answer }) => String(answer.message).includes("required property 'workspace'")),
    hasPermissionMode: modes.length === 0,
    takesQueueMode: queued.length === 0,
    patchesPerMinute: Number.parseInt(limit ?? '30', 10),
    baseHashRequired: (path) => String(unbased ?? 'config base hash required').replace('tools.deny', path),
    filesOfNobody: (agentId) => String(nobody?.answer.message ?? 'agent "nobody" not found').replace('nobody', agentId),
  }
}

/** The calls of a recording, in order; the handshake only with `withConnect`. */
export function callsIn({ frames }: Recording, withConnect = false): readonly RecordedCall[] {
  return frames.flatMap(({ from, frame }) => {
    if (from !== 'client' || frame.type !== 'req' || (frame.method === 'connect') !== withConnect) return []
    const found = frames.find((other) => other.frame.type === 'res' && other.frame.id === frame.id)
    if (!found) return []
    const { ok, payload, error } = found.frame as { ok: boolean; payload?: Json; error?: Json }
    return [{ method: String(frame.method), params: frame.params as Json, ok, answer: (payload ?? error)! }]
  })
}
