export type RunBlock = PromptBlock | TextBlock | ReasoningBlock | ToolBlock | ApprovalBlock | NoticeBlock

interface BlockPlace {
  /** The number of its first event. */
  readonly key: number
  readonly at: number
}

export interface PromptBlock extends BlockPlace {
  readonly kind: 'prompt'
  readonly text: string
}

export interface TextBlock extends BlockPlace {
  readonly kind: 'text'
  readonly message: number
  readonly text: string
}

export interface ReasoningBlock extends BlockPlace {
  readonly kind: 'reasoning'
  readonly message: number
  readonly text: string
}

export interface ToolBlock extends BlockPlace {
  readonly kind: 'tool'
  readonly callId: string
  readonly tool: string
  readonly input: unknown
  readonly summary: string | null
  /** null while the call runs. */
  readonly result: { readonly text: string; readonly isError: boolean } | null
  /** Whether its approval waits for an answer. */
  readonly waits: boolean
  /** When the work started; after an approval, when the person answered. */
  readonly startedAt: number
  readonly endedAt: number | null
}

export interface ApprovalBlock extends BlockPlace {
  readonly kind: 'approval'
  readonly approvalId: string
  readonly callId: string
  readonly action: string
  readonly cwd: string
  readonly reason: string
  /** null while it waits. */
  readonly answer: string | null
}

export interface NoticeBlock extends BlockPlace {
  readonly kind: 'notice'
  readonly state: 'retrying' | 'model-changed' | 'compacting' | 'compacted' | 'notice' | 'trouble'
  readonly detail: string | null
}
