/** What the Gateway tells everybody: one broadcast frame. */
export interface GatewayFrame {
  readonly event: string
  readonly payload: unknown
}

/** What of `hello-ok` matters here. Everything is read as if it could be missing: older Gateways say less. */
export interface GatewayHello {
  readonly version: string
  /** Another one after every start of the Gateway; empty where it does not say. */
  readonly bootId: string
  readonly scopes: readonly string[]
  readonly mainKey: string
  /** A folder of its own where it runs; empty where it does not say. */
  readonly stateDir: string
}

export function readHello(hello: unknown): GatewayHello {
  const { server, auth, snapshot } = object(hello)
  const { version, bootId } = object(server)
  const { scopes } = object(auth)
  const { sessionDefaults, stateDir, configPath } = object(snapshot)
  return {
    version: text(version),
    bootId: text(bootId),
    scopes: list(scopes).map(text).filter(Boolean),
    mainKey: text(object(sessionDefaults).mainKey) || 'main',
    stateDir: text(stateDir) || text(configPath).replace(/[/\\][^/\\]*$/, ''),
  }
}

/** Frames come from another program: nothing in them is taken for granted. */
export function object(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** Why something failed, whatever was thrown or sent. */
export function reasonIn(error: unknown): string {
  return plain(object(error).message) || plain(error) || 'no reason was given'
}

const MOST_CHARACTERS = 500

/** Words of the Gateway for a person: nothing in them steers a terminal, and they come to an end. */
export function plain(value: unknown): string {
  return text(value)
    .slice(0, MOST_CHARACTERS)
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '')
}
