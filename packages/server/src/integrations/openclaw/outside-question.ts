import type { AskedApproval } from '@clawboo/core/executor'
import { plain } from './gateway/gateway-frames.ts'
import { isPromptKey } from './runtime/upstream-keys.ts'
import type { ApprovalSignal } from './translate.ts'

export interface OutsideQuestion {
  readonly asked: AskedApproval
  /** When a person is asked. */
  readonly dueAt: number
}

const MOST_COMMAND_CHARACTERS = 16_000
const LONGEST_MS = 24 * 60 * 60 * 1000
/** The delay before a Clawboo run's question is asked here, because the run's own server asks first. */
const HEAD_START_MS = 5_000

/** The Gateway's question for a person; null when it cannot be answered. */
export function outsideQuestion(signal: ApprovalSignal, now: number): OutsideQuestion | null {
  const { approvalId: id, command, answers, askedAt, expiresAt } = signal
  if (id === '' || plain(id) !== id) return null
  const shown = visible(command.slice(0, MOST_COMMAND_CHARACTERS + 1))
  // A person must not approve a command that is not completely visible.
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
      // If the Gateway's clock is far behind, an open question would seem expired.
      expiresAt: expiresAt > now ? Math.floor(Math.min(expiresAt, now + LONGEST_MS)) : null,
    },
  }
}

/** Shows invisible and direction-changing characters as code points. */
function visible(command: string): string {
  return command.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
}
