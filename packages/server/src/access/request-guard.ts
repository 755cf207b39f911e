import type { ClawbooErrorCode } from '@clawboo/core'

/** The parts of a request that are checked before anything else is trusted. */
interface RequestHead {
  readonly method: string
  /** The request target exactly as sent. */
  readonly target: string
  /** Names and values alternate; repeated headers are kept. */
  readonly rawHeaders: readonly string[]
}

export interface Refusal {
  readonly code: ClawbooErrorCode
  readonly message: string
}

export type RequestGuard = (head: RequestHead) => Refusal | null

/**
 * Refuses every request that a browser on another site could have sent, and every request for a host name that is not
 * ours (an attacker can point a name at this machine). Accepts only exact spellings, so there is no normalisation to
 * get wrong.
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
    if (ownOrigin === undefined) return { code: 'host_refused', message: 'this server does not serve that Host' }
    for (const origin of valuesOf(rawHeaders, 'origin')) {
      if (origin !== ownOrigin) return { code: 'origin_refused', message: 'requests from other origins are refused' }
    }
    for (const site of valuesOf(rawHeaders, 'sec-fetch-site')) {
      // `same-site` means another port on this machine, which is as untrusted as any other site.
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
