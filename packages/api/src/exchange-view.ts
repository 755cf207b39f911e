import type { ChainOrigin, EndReason, ObligationReason } from '@clawboo/core/team-chat'

/** One exchange of a team's room, as it is shown. */
export interface ExchangeView {
  readonly id: string
  readonly teamId: string
  /** Its place among the exchanges of the room. */
  readonly ordinal: number
  readonly status: 'queued' | 'running' | 'ended'
  /** null until it has ended. */
  readonly reason: EndReason | null
  /** The post that began it; null = the board did. */
  readonly stimulusSeq: number | null
  /** Turns that came to their end. */
  readonly turns: number
  readonly bound: number
  /** Who speaks now; null = nobody does. */
  readonly speaker: {
    readonly agentId: string
    readonly runId: string
    readonly turn: number
    readonly because: 'obligation' | 'leader'
    readonly chainId: string
  } | null
  /** Who owes a turn, in the order in which it came to that. */
  readonly pending: readonly {
    readonly agentId: string
    readonly because: ObligationReason
    readonly chainId: string
  }[]
  readonly chains: readonly {
    readonly id: string
    readonly begunBy: ChainOrigin
    readonly hops: number
    readonly ended: 'stopped' | 'repeat' | null
  }[]
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}
