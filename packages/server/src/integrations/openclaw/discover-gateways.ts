import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundUpstream } from '@clawboo/core/registry'
import type { HostMachine } from '../host.ts'
import { count, object, text } from './gateway/gateway-frames.ts'

const DEFAULT_PORT = 18_789
const PROBE_MS = 3_000

/** The parts of a Gateway's settings that help to connect. */
export interface FoundGateway extends FoundUpstream {
  readonly secret: string | null
}

/** Searches the Gateway's settings folders and its default port. */
export async function discoverGateways(machine: HostMachine): Promise<readonly FoundGateway[]> {
  const found = await Promise.all(settingsFiles(machine).map((file) => readGateway(file, machine)))
  const known = found.filter((gateway) => gateway !== null)
  if (known.some(({ address }) => address === addressOf(DEFAULT_PORT))) return known
  const usual = { address: addressOf(DEFAULT_PORT), foundIn: `port ${DEFAULT_PORT}`, secretKnown: false, secret: null }
  return (await answers(DEFAULT_PORT)) ? [...known, { ...usual, isRunning: true }] : known
}

function settingsFiles({ environment, userHome }: HostMachine): readonly string[] {
  const named = environment.OPENCLAW_CONFIG_PATH
  const folder = environment.OPENCLAW_STATE_DIR || join(userHome, '.openclaw')
  return [...new Set([...(named ? [named] : []), join(folder, 'openclaw.json')])]
}

async function readGateway(file: string, machine: HostMachine): Promise<FoundGateway | null> {
  // A config that this user cannot read is not a Gateway that this user can connect.
  const content = await readFile(file, 'utf8').catch(() => null)
  if (content === null) return null
  const { port, auth } = object(object(parseLooseJson(content)).gateway)
  const at = count(port) || DEFAULT_PORT
  const secret = readSecret(object(auth), machine)
  const isOpen = object(auth).mode === 'none'
  return {
    address: addressOf(at),
    foundIn: file,
    isRunning: await answers(at),
    secretKnown: isOpen || secret !== null,
    secret,
  }
}

/** The token may be in the settings itself or in a variable that they name. */
function readSecret(
  { token, password }: Readonly<Record<string, unknown>>,
  { environment }: HostMachine,
): string | null {
  const written = text(token) || text(password)
  const variable = /^\$\{(\w+)\}$/.exec(written)?.[1]
  return (variable ? text(environment[variable]) : written) || environment.OPENCLAW_GATEWAY_TOKEN || null
}

async function answers(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) })
    return object(await answer.json()).ok === true
  } catch {
    return false
  }
}

function addressOf(port: number): string {
  return `ws://127.0.0.1:${port}`
}

/** Parses JSON with comments, trailing commas and bare keys. Returns null when it cannot be read. */
export function parseLooseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    try {
      return JSON.parse(tightened(source))
    } catch {
      return null
    }
  }
}

const PIECE =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])|[A-Za-z_$][\w$]*(?=\s*:)/g

function tightened(source: string): string {
  const bare = source.replace(PIECE, (piece) => (piece.startsWith('//') || piece.startsWith('/*') ? ' ' : piece))
  return bare.replace(PIECE, (piece) => {
    if (piece === ',') return ''
    if (piece.startsWith("'")) return JSON.stringify(piece.slice(1, -1).replaceAll("\\'", "'"))
    return piece.startsWith('"') ? piece : JSON.stringify(piece)
  })
}
