/** One step of a model under test. A tool ends the model call; the next call plays the steps that follow. */
export type RuntimeScriptStep =
  /** Writes a text. */
  | { readonly say: string }
  /** Writes a thought, if the runtime reports thoughts. */
  | { readonly think: string }
  /** Calls a harmless tool that finishes by itself (`quick`) or when the fixture releases it (`held`). */
  | { readonly callTool: 'quick' | 'held' }
  /** Waits for this many milliseconds. */
  | { readonly wait: number }
  /** Calls a tool that needs approval; the action contains this text. */
  | { readonly askApproval: string }
  /** Writes a file with this name in the working folder. */
  | { readonly writeFile: string; readonly content: string }
  /** Calls a host tool, whether or not it was offered. */
  | { readonly callHostTool: string; readonly with: Readonly<Record<string, unknown>> }
  /** Fails in a way that a retry cannot fix. */
  | { readonly failFatally: string }
  /** Never finishes. */
  | { readonly hang: true }

export type RuntimeScript = readonly RuntimeScriptStep[]
