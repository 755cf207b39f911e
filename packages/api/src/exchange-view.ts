import type { ChainOrigin, EndReason, ObligationReason } from '@clawboo/core/team-chat'

/** One exchange of a team's room, for display. */
export interface ExchangeView {
  readonly id: string
  readonly teamId: string
  /** Its number among the exchanges of the room. */
  readonly ordinal: number
  readonly status: 'queued' | 'running' | 'ended'
  /** null until it has ended. */
  readonly reason: EndReason | null
  /** The post that started it; null when the board did. */
  readonly stimulusSeq: number | null
  /** The number of finished turns. */
  readonly turns: number
  readonly bound: number
  /** The current speaker; null when there is none. */
  readonly speaker: {
    readonly agentId: string
    readonly runId: string
    readonly turn: number
    readonly because: 'obligation' | 'leader'
    readonly chainId: string
  } | null
  /** The agents that still owe a turn, in order. */
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
