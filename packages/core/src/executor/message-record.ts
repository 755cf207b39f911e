/** A message to an agent, from its acceptance to its outcome. */
export interface MessageRecord {
  readonly id: string
  readonly agentId: string
  readonly sessionKey: string
  readonly text: string
  readonly mode: MessageMode
  /** The sender's choice for this message; null = the conversation's model. */
  readonly model: string | null
  /** Taken from the credential. */
  readonly sender: string
  readonly state: MessageState
  /** The run that took the message. */
  readonly runId: string | null
  /** Why the message was withdrawn, was dropped, failed or is uncertain; shown to a person. */
  readonly reason: string | null
  readonly attempts: number
  readonly createdAt: number
  readonly settledAt: number | null
}

/** How a message is handled while the agent is busy. */
export type MessageMode = 'steer' | 'followup' | 'collect' | 'interrupt'

export const MESSAGE_MODES = ['steer', 'followup', 'collect', 'interrupt'] as const satisfies readonly MessageMode[]

/**
 * Usually queued -> delivering -> delivered. withdrawn: cancelled before its delivery. dropped: the queue was full.
 * failed: every delivery failed. uncertain: the server died during the delivery, so it is unknown whether it arrived.
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

/** The immediate outcome of a message. */
export type MessageVerdict = 'started' | 'steered' | 'queued' | 'interrupting'
