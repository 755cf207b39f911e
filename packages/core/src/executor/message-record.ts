/** Something said to an agent, from the moment it was accepted to what became of it. */
export interface MessageRecord {
  readonly id: string
  readonly agentId: string
  readonly sessionKey: string
  readonly text: string
  readonly mode: MessageMode
  /** The sender's own choice for the run that answers; null = the conversation's. */
  readonly model: string | null
  /** Bound to the credential it came with. */
  readonly sender: string
  readonly state: MessageState
  /** The run it went into. */
  readonly runId: string | null
  /** Why it was dropped, failed or is uncertain, for a person. */
  readonly reason: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly settledAt: number | null
}

/** What happens to a message that comes while the agent works. */
export type MessageMode = 'steer' | 'followup' | 'collect' | 'interrupt'

export const MESSAGE_MODES = ['steer', 'followup', 'collect', 'interrupt'] as const satisfies readonly MessageMode[]

/**
 * queued -> delivering -> delivered is the way. withdrawn: its sender took it back. dropped: the queue was full. failed:
 * every attempt did. uncertain: the server died while it was being delivered, and nobody can say whether it arrived.
 */
export type MessageState = 'queued' | 'delivering' | 'delivered' | 'withdrawn' | 'dropped' | 'failed' | 'uncertain'

export const MESSAGE_STATES = [
  'queued',
  'delivering',
  'delivered',
  'withdrawn',
  'dropped',
  'failed',
  'uncertain',
] as const satisfies readonly MessageState[]

/** What became of a message at once. */
export type MessageVerdict = 'started' | 'steered' | 'queued' | 'interrupting'
