import type { Capabilities, SessionCodec } from '@clawboo/core/executor'

export const NATIVE_CAPABILITIES: Capabilities = {
  streaming: true,
  mcp: false,
  worktrees: false,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  runtimeClass: 'native',
  nativeHome: true,
  nativeSkills: true,
  nativeMemory: true,
  nativeChannels: false,
}

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const nativeSessionCodec: SessionCodec = {
  encode: ({ sessionId }) => sessionId,
  decode: (text) => (SESSION_ID.test(text) ? { sessionId: text } : null),
}
