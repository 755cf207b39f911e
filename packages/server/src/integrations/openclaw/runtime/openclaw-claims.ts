import type { Capabilities, SessionCodec } from '@clawboo/core/executor'

/** The Gateway owns the home, the skills, the memory and the channels; the host only talks to it. */
export const OPENCLAW_CLAIMS: Capabilities = {
  streaming: true,
  // An OpenClaw agent is given no tool of ours: the Gateway cannot bind one to a single run.
  mcp: false,
  worktrees: false,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  // The Gateway calls models by itself, and tells what they cost afterwards.
  asksBeforeModelCall: false,
  readsFiles: true,
  workingCopies: false,
  ownModels: true,
  inspectable: false,
  hasWorkspace: false,
  outlivesHost: true,
  modelHoldsFrom: 'run',
  // In a conversation with one person a Gateway takes `NO_REPLY` for an answer that is missing, and asks the model again.
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
