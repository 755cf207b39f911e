import { findRecording, type Json, type Recording } from './test-recordings.ts'

/** One request and its answer. */
export interface RecordedCall {
  readonly method: string
  readonly params: Json
  readonly ok: boolean
  /** The payload, or the error. */
  readonly answer: Json
}

/** In what the recorded releases of the Gateway differ. */
export interface VersionFacts {
  /** The names of an agent's files that it takes. */
  readonly files: readonly string[]
  /** Those that it writes itself when an agent is made. */
  readonly bornWith: readonly string[]
  /** An agent is not made without a folder for it. */
  readonly needsWorkspace: boolean
  /** A session takes `permissionMode`; older ones take two settings instead. */
  readonly hasPermissionMode: boolean
  /** A prompt may say what becomes of it while the session is at work. */
  readonly takesQueueMode: boolean
  readonly patchesPerMinute: number
  /** What it says to a change of its settings that does not name the hash of what it changes. */
  baseHashRequired(path: string): string
  /** What it says about the files of an agent that it does not have. */
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

/** What was asked in it, in its order; the handshake only when it is wished for. */
export function callsIn({ frames }: Recording, withConnect = false): readonly RecordedCall[] {
  return frames.flatMap(({ from, frame }) => {
    if (from !== 'client' || frame.type !== 'req' || (frame.method === 'connect') !== withConnect) return []
    const found = frames.find((other) => other.frame.type === 'res' && other.frame.id === frame.id)
    if (!found) return []
    const { ok, payload, error } = found.frame as { ok: boolean; payload?: Json; error?: Json }
    return [{ method: String(frame.method), params: frame.params as Json, ok, answer: (payload ?? error)! }]
  })
}
