import type { ApprovalAnswer } from './runtime-adapter.ts'

/** What an agent wants to do in a run that the server did not begin, as its upstream asks it. */
export interface AskedApproval {
  /** The upstream's own. */
  readonly id: string
  readonly sourceAgentId: string
  readonly tool: string
  /** Whole. */
  readonly command: string
  readonly cwd: string
  readonly reason: string
  /** Where it came up, such as the name of a channel; empty when nobody says. */
  readonly origin: string
  /** Those that the upstream takes. */
  readonly answers: readonly ApprovalAnswer[]
  /** Epoch ms; null = the upstream does not say. */
  readonly expiresAt: number | null
}

/** What a person answered to one of them. */
export interface GivenApproval {
  readonly id: string
  readonly answer: ApprovalAnswer
}
