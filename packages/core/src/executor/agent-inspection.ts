/** What goes into an agent's next turn, in words a page can show whatever the runtime. */
export interface AgentInspection {
  readonly model: { readonly ref: string; readonly problem: string | null }
  readonly files: readonly InspectedFile[]
  readonly skills: readonly InspectedSkill[]
  readonly tools: readonly InspectedTool[]
  /** How commands are decided on, a line each, and why. */
  readonly commandPolicy: readonly string[]
  readonly systemPromptCharacters: number
}

export interface InspectedFile {
  readonly name: string
  readonly characters: number
  readonly injectedCharacters: number
  /** null = it goes in whole. */
  readonly problem: string | null
  /** Headings that are missing or cut. */
  readonly lostHeadings: readonly string[]
}

export interface InspectedSkill {
  readonly name: string
  readonly description: string
  readonly location: string
  readonly eligible: boolean
  /** Why not, or why it is shortened or left out of the prompt; null = it is in. */
  readonly problem: string | null
}

export interface InspectedTool {
  readonly name: string
  readonly allowed: boolean
  readonly reason: string
}
