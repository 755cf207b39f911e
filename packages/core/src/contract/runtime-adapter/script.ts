/** One thing a model under test does. A tool ends its call; what follows is played in the next one. */
export type RuntimeScriptStep =
  /** Says a text. */
  | { readonly say: string }
  /** Thinks a text, where the runtime tells of thoughts at all. */
  | { readonly think: string }
  /** Uses a harmless tool: one that ends by itself, or one that runs until the fixture releases it. */
  | { readonly callTool: 'quick' | 'held' }
  /** Does nothing for so many milliseconds. */
  | { readonly wait: number }
  /** Uses a tool that a person has to allow; the text stands in the action that is asked for. */
  | { readonly askApproval: string }
  /** Writes a file of this name where it works. */
  | { readonly writeFile: string; readonly content: string }
  /** Uses a tool of the host, whether or not it was offered. */
  | { readonly callHostTool: string; readonly with: Readonly<Record<string, unknown>> }
  /** Fails in a way that no second try mends. */
  | { readonly failFatally: string }
  /** Never comes to an end. */
  | { readonly hang: true }

export type RuntimeScript = readonly RuntimeScriptStep[]
