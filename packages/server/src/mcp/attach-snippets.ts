/** One of our servers, as another program reaches it. */
interface AttachableServer {
  readonly name: string
  readonly url: string
  /** The command that serves MCP on standard input and output with the operator's rights. */
  readonly command: string[]
}

/** Settings to paste, and where. Refers to the operator token but never contains it. */
interface AttachSnippet {
  readonly title: string
  /** null for any client. */
  readonly runtime: string | null
  readonly where: string
  readonly language: 'json' | 'toml' | 'yaml' | 'shell'
  readonly text: string
}

/** A runtime that can use MCP servers which a person configures. */
interface AttachingRuntime {
  readonly id: string
  readonly label: string
  attachMcp?(servers: readonly AttachableServer[]): Omit<AttachSnippet, 'title' | 'runtime'>
}

const TOKEN_PLACE = '<the token that `clawboo token show` prints>'

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
