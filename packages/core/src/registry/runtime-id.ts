/** The runtime or source of an agent. An open set: the literals are hints for editors, not a closed list. */
export type RuntimeId = 'clawboo-native' | 'openclaw' | 'claude-code' | 'codex' | 'hermes' | 'human' | (string & {})

/** Clawboo's own source: every agent without an upstream belongs to it, whichever runtime runs the agent. */
export const OWN_SOURCE_ID: RuntimeId = 'clawboo-native'
