import type { Capabilities, SessionCodec } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'

const CAPABILITIES: Capabilities = {
  streaming: true,
  mcp: true,
  worktrees: true,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  asksBeforeModelCall: true,
  readsFiles: true,
  workingCopies: true,
  ownModels: false,
  inspectable: true,
  hasWorkspace: true,
  outlivesHost: false,
  runtimeClass: 'native',
  nativeHome: true,
  nativeSkills: true,
  nativeMemory: true,
  nativeChannels: false,
}

/** Claims worktrees only when the host can open folders. */
export function nativeCapabilities(host: IntegrationHost): Capabilities {
  return { ...CAPABILITIES, worktrees: host.folderAt !== undefined }
}

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const nativeSessionCodec: SessionCodec = {
  encode: ({ sessionId }) => sessionId,
  decode: (text) => (SESSION_ID.test(text) ? { sessionId: text } : null),
}
