const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Whether every vendor accepts this tool name. */
export const isToolName = (name: string): boolean => TOOL_NAME.test(name)

/** A model can call a tool by a name that its own vendor refuses in the history. */
export function safeToolName(name: string): string {
  if (isToolName(name)) return name
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}
