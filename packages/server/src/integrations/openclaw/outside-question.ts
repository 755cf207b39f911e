import type { AskedApproval } from '@clawboo/core/executor'
import { plain } from './gateway/gateway-frames.ts'
import { isPromptKey } from './runtime/upstream-keys.ts'
import type { ApprovalSignal } from './translate.ts'

export interface OutsideQuestion {
  readonly asked: AskedApproval
  /** From then on a person is asked. */
  readonly dueAt: number
}

const MOST_COMMAND_CHARACTERS = 16_000
const LONGEST_MS = 24 * 60 * 60 * 1000
/** A run of a Clawboo is asked about by the server that follows it; when none does by then, it is asked here. */
const HEAD_START_MS = 5_000

/** The Gateway's question as a person may read it; null when it cannot be answered. */
export function outsideQuestion(signal: ApprovalSignal, now: number): OutsideQuestion | null {
  const { approvalId: id, command, answers, askedAt, expiresAt } = signal
  if (id === '' || plain(id) !== id) return null
  const shown = visible(command.slice(0, MOST_COMMAND_CHARACTERS + 1))
  // Nobody allows what they cannot see.
  const isWhole = shown !== '' && shown.length <= MOST_COMMAND_CHARACTERS && plain(signal.cwd) === signal.cwd
  const headStart = isPromptKey(signal.runId) ? HEAD_START_MS : 0
  return {
    dueAt: Math.min(Math.max(askedAt || now, now - headStart), now) + headStart,
    asked: {
      id,
      sourceAgentId: plain(signal.agentId),
      tool: 'exec',
      command: shown.slice(0, MOST_COMMAND_CHARACTERS),
      cwd: plain(signal.cwd),
      reason: isWhole ? plain(signal.reason) : 'the command cannot be shown whole',
      origin: plain(signal.origin),
      answers: isWhole ? answers : ['deny'],
      // A clock that is far behind ours does not make a question that the Gateway asks an old one.
      expiresAt: expiresAt > now ? Math.floor(Math.min(expiresAt, now + LONGEST_MS)) : null,
    },
  }
}

/** Signs that are not seen, or that turn the text around, as their numbers. */
function visible(command: string): string {
  return command.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
}
