import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { ClawbooError } from '@clawboo/core'

/** All settings from the environment. No other file reads the environment. */
export interface Config {
  /** The one folder that the product writes to. */
  readonly home: string
  readonly host: string
  /** The preferred port; when a default port is in use, the server takes the next free one. */
  readonly port: number
  readonly portIsDefault: boolean
  /** The https address of a proxy in front of this server; null without a proxy. */
  readonly publicUrl: URL | null
  readonly masterKey: string | null
  /** null for SQLite in the home folder. */
  readonly databaseUrl: string | null
  readonly logLevel: LogLevel
  /** Whether a person at this machine can see a browser. */
  readonly desktop: boolean
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

const DEFAULT_PORT = 18790
const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const read = (name: string) => env[name]?.trim() || null
  const config: Config = {
    home: readHome(read('CLAWBOO_HOME')),
    host: read('CLAWBOO_HOST') ?? '127.0.0.1',
    port: readPort(read('CLAWBOO_PORT')),
    portIsDefault: read('CLAWBOO_PORT') === null,
    publicUrl: readPublicUrl(read('CLAWBOO_PUBLIC_URL')),
    masterKey: read('CLAWBOO_MASTER_KEY'),
    databaseUrl: readDatabaseUrl(read('CLAWBOO_DATABASE_URL')),
    logLevel: readLogLevel(read('CLAWBOO_LOG')),
    desktop:
      read('CI') === null &&
      (process.platform === 'darwin' || read('DISPLAY') !== null || read('WAYLAND_DISPLAY') !== null),
  }
  if (!isLoopback(config.host) && config.publicUrl === null) {
    throw invalid(
      'CLAWBOO_HOST',
      `${config.host} is reachable from other machines; set CLAWBOO_PUBLIC_URL to the https address in front of it, or leave CLAWBOO_HOST unset`,
    )
  }
  return config
}

/** The environment for integrations, without Clawboo's own variables, which include the master key. */
export function readMachine(env: Readonly<Record<string, string | undefined>>) {
  const foreign = Object.entries(env).filter(([name]) => !name.startsWith('CLAWBOO_'))
  return {
    environment: Object.fromEntries(foreign),
    userHome: homedir(),
    // Read on demand: the first use of `Intl` loads several megabytes.
    get timeZone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone
    },
  }
}

/** The environment for a server that the command line starts: the caller's own, and the folder for compiled code. */
export function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  defaults: { readonly compileCache: string; readonly logLevel: LogLevel },
): Record<string, string | undefined> {
  return { CLAWBOO_LOG: defaults.logLevel, ...env, NODE_COMPILE_CACHE: defaults.compileCache }
}

/** The host name in addresses on this machine. A server that listens on all interfaces is reached on loopback. */
export function ownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function readHome(value: string | null): string {
  if (value === null) return join(homedir(), '.clawboo')
  if (value.startsWith('~/')) return join(homedir(), value.slice(2))
  return isAbsolute(value) ? value : resolve(value)
}

function readPort(value: string | null): number {
  if (value === null) return DEFAULT_PORT
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) throw invalid('CLAWBOO_PORT', `"${value}" is not a port (0 to 65535)`)
  return port
}

function readPublicUrl(value: string | null): URL | null {
  if (value === null) return null
  const url = URL.parse(value)
  if (url?.protocol !== 'https:' || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw invalid('CLAWBOO_PUBLIC_URL', `"${value}" is not a plain https address such as https://boos.example.org`)
  }
  return url
}

function readDatabaseUrl(value: string | null): string | null {
  if (value === null || /^postgres(ql)?:\/\//.test(value)) return value
  throw invalid('CLAWBOO_DATABASE_URL', 'it must start with postgres:// (leave it unset for SQLite in the home folder)')
}

function readLogLevel(value: string | null): LogLevel {
  const level = LOG_LEVELS.find((known) => known === (value ?? 'info'))
  if (!level) throw invalid('CLAWBOO_LOG', `"${value}" is not one of ${LOG_LEVELS.join(', ')}`)
  return level
}

function invalid(variable: string, problem: string): ClawbooError {
  return new ClawbooError('config_invalid', `${variable}: ${problem}`, { details: { variable } })
}
