/** The input of an agent's next run, in a form that a page can show for any runtime. */
export interface AgentInspection {
  readonly model: { readonly ref: string; readonly problem: string | null }
  readonly files: readonly InspectedFile[]
  readonly skills: readonly InspectedSkill[]
  readonly tools: readonly InspectedTool[]
  /** The rules for commands with their reasons, one per line. */
  readonly commandPolicy: readonly string[]
  readonly systemPromptCharacters: number
}

export interface InspectedFile {
  readonly name: string
  readonly characters: number
  readonly injectedCharacters: number
  /** null = the whole file is included. */
  readonly problem: string | null
  /** Headings that are missing or truncated. */
  readonly lostHeadings: readonly string[]
}

export interface InspectedSkill {
  readonly name: string
  readonly description: string
  readonly location: string
  readonly eligible: boolean
  /** Why the skill is unusable, shortened or left out of the prompt; null = included. */
  readonly problem: string | null
}

export interface InspectedTool {
  readonly name: string
  readonly allowed: boolean
  readonly reason: string
}
