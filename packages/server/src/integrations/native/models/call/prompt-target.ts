import type { ProviderRow } from '../providers/provider-list.ts'

/** The provider and the model that a prompt is converted for. */
export interface PromptTarget {
  readonly row: Pick<ProviderRow, 'id' | 'wire' | 'baseUrl'>
  readonly model: string
  readonly takesImages: boolean
  /** Leaves out all thinking, for a provider that refuses its own earlier thinking. */
  readonly dropThinking?: boolean
}
