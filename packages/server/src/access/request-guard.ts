import type { ClawbooErrorCode } from '@clawboo/core'

/** What a request says about where it was sent and who sent it, before anything of it is trusted. */
export interface RequestHead {
  readonly method: string
  /** The request target as it stood on the line. */
  readonly target: string
  /** Names and values in turn, repeats kept. */
  readonly rawHeaders: readonly string[]
}

export interface Refusal {
  readonly code: ClawbooErrorCode
  readonly message: string
}

export type RequestGuard = (head: RequestHead) => Refusal | null

/**
 * Refuses every request that a browser on a foreign page could have sent, and every one that names a host that is not
 * ours (a name an attacker points at this machine). Only exact spellings pass; there is no normalising to get wrong.
 */
export function createRequestGuard(own: {
  readonly host: string
  readonly port: number
  readonly publicUrl: URL | null
}): RequestGuard {
  const originOfHost = new Map<string, string>()
  for (const name of ['127.0.0.1', 'localhost', '[::1]', own.host]) {
    originOfHost.set(`${name}:${own.port}`, `http://${name}:${own.port}`)
    if (own.port === 80) originOfHost.set(name, `http://${name}`)
  }
  if (own.publicUrl) originOfHost.set(own.publicUrl.host, own.publicUrl.origin)

  return ({ target, rawHeaders }) => {
    if (!target.startsWith('/')) return { code: 'request_invalid', message: 'the request target must be a path' }
    const hosts = valuesOf(rawHeaders, 'host')
    const ownOrigin = hosts.length === 1 ? originOfHost.get(hosts[0]!.toLowerCase()) : undefined
    if (ownOrigin === undefined) return { code: 'host_refused', message: 'this server does not answer to that Host' }
    for (const origin of valuesOf(rawHeaders, 'origin')) {
      if (origin !== ownOrigin) return { code: 'origin_refused', message: 'requests from other origins are refused' }
    }
    for (const site of valuesOf(rawHeaders, 'sec-fetch-site')) {
      // `same-site` is another port on this machine: as foreign as any other page.
      if (site !== 'same-origin' && site !== 'none')
        return { code: 'origin_refused', message: 'requests from other sites are refused; open the address directly' }
    }
    return null
  }
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) values.push(rawHeaders[i + 1]!)
  }
  return values
}
