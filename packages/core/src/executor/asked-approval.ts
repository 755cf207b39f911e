import type { ApprovalAnswer } from './runtime-adapter.ts'

/** An upstream's request for approval in a run that this server did not start. */
export interface AskedApproval {
  /** The upstream's id for the request. */
  readonly id: string
  readonly sourceAgentId: string
  readonly tool: string
  /** The complete command. */
  readonly command: string
  readonly cwd: string
  readonly reason: string
  /** The origin of the run, such as the name of a channel; empty when unknown. */
  readonly origin: string
  /** The answers that the upstream accepts. */
  readonly answers: readonly ApprovalAnswer[]
  /** Epoch ms; null = the upstream sets no deadline. */
  readonly expiresAt: number | null
}

/** A person's answer to an AskedApproval. */
export interface GivenApproval {
  readonly id: string
  readonly answer: ApprovalAnswer
}
