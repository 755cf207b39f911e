/** One broadcast frame of the Gateway. */
export interface GatewayFrame {
  readonly event: string
  readonly payload: unknown
}

/** The used part of `hello-ok`. Every field may be missing, because older Gateways send fewer. */
export interface GatewayHello {
  readonly version: string
  /** Differs after every start of the Gateway; empty when not sent. */
  readonly bootId: string
  readonly scopes: readonly string[]
  readonly mainKey: string
  /** The Gateway's state folder on its machine; empty when not sent. */
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

/** Frames come from another program, so every field is checked. */
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

/** Extracts the reason from any thrown or received value. */
export function reasonIn(error: unknown): string {
  return plain(object(error).message) || plain(error) || 'no reason was given'
}

const MOST_CHARACTERS = 500

/** Makes the Gateway's text safe for a person: no terminal control characters, bounded length. */
export function plain(value: unknown): string {
  return text(value)
    .slice(0, MOST_CHARACTERS)
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '')
}
