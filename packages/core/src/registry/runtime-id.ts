/** The runtime or source of an agent. An open set: the literals are hints for editors, not a closed list. */
export type RuntimeId = 'clawboo-native' | 'openclaw' | 'claude-code' | 'codex' | 'hermes' | 'human' | (string & {})
