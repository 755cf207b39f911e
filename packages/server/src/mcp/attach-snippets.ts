/** One of our servers, as another program reaches it. */
export interface AttachableServer {
  readonly name: string
  readonly url: string
  /** Speaks MCP over its input and output, with the operator's rights. */
  readonly command: string[]
}

/** Text to paste, and where. It names the operator token and never holds it. */
export interface AttachSnippet {
  readonly title: string
  /** null when it is for any client. */
  readonly runtime: string | null
  readonly where: string
  readonly language: 'json' | 'toml' | 'yaml' | 'shell'
  readonly text: string
}

/** What a runtime says about itself, if it can take MCP servers from a person. */
export interface AttachingRuntime {
  readonly id: string
  readonly label: string
  attachMcp?(servers: readonly AttachableServer[]): Omit<AttachSnippet, 'title' | 'runtime'>
}

const TOKEN_PLACE = '<what `clawboo token show` prints>'

export function attachConfig(names: readonly string[], serverUrl: string, runtimes: readonly AttachingRuntime[]) {
  const servers = names.map(
    (name): AttachableServer => ({
      name,
      url: `${serverUrl}/api/mcp/${name}`,
      command: ['npx', 'clawboo', 'mcp', name],
    }),
  )
  const ofRuntimes = runtimes.flatMap((runtime): AttachSnippet[] => {
    const snippet = runtime.attachMcp?.(servers)
    return snippet ? [{ title: runtime.label, runtime: runtime.id, ...snippet }] : []
  })
  return { servers, snippets: [...ofRuntimes, ...generalSnippets(servers)] }
}

function generalSnippets(servers: readonly AttachableServer[]): AttachSnippet[] {
  const where = 'the `mcpServers` setting of the client'
  const entries = (entry: (server: AttachableServer) => object) =>
    JSON.stringify(
      { mcpServers: Object.fromEntries(servers.map((server) => [`clawboo-${server.name}`, entry(server)])) },
      null,
      2,
    )
  return [
    {
      title: 'Any client that starts a program',
      runtime: null,
      where,
      language: 'json',
      text: entries(({ command: [command, ...args] }) => ({ command, args })),
    },
    {
      title: 'Any client that connects over HTTP',
      runtime: null,
      where,
      language: 'json',
      text: entries(({ url }) => ({ type: 'http', url, headers: { Authorization: `Bearer ${TOKEN_PLACE}` } })),
    },
  ]
}
