import type { Capabilities, SessionCodec } from '@clawboo/core/executor'

/** The Gateway owns the home, the skills, the memory and the channels; the host only sends messages. */
export const OPENCLAW_CLAIMS: Capabilities = {
  streaming: true,
  // OpenClaw agents get no host tools, because the Gateway cannot bind a tool to a single run.
  mcp: false,
  worktrees: false,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  // The Gateway calls models by itself and reports their cost afterwards.
  asksBeforeModelCall: false,
  readsFiles: true,
  workingCopies: false,
  ownModels: true,
  inspectable: false,
  hasWorkspace: false,
  outlivesHost: true,
  modelHoldsFrom: 'run',
  // In a direct conversation a Gateway treats `NO_REPLY` as a missing answer and calls the model again.
  passToken: 'NOTHING_TO_SAY',
  runtimeClass: 'connected-substrate',
  nativeHome: true,
  nativeSkills: true,
  nativeMemory: true,
  nativeChannels: true,
}

const PREFIX = 'openclaw-session:'
const SESSION = /^openclaw-session:([0-9a-f]{8}-[0-9a-f-]{20,40})$/

export const openClawSessions: SessionCodec = {
  encode: ({ sessionId }) => (sessionId === null ? null : PREFIX + sessionId),
  decode(text) {
    const sessionId = SESSION.exec(text)?.[1]
    return sessionId === undefined ? null : { sessionId }
  },
}
