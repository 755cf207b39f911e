import type { IncomingMessage } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import { type Grants, looksLikeGrant } from '../access/grants.ts'
import type { OperatorToken } from '../access/operator-token.ts'
import type { SignIn } from '../access/sign-in.ts'

/** Decides whether the operator sends a request, from what it carries. */
export interface Credentials {
  /** Rejects with `credential_missing`, `credential_refused` or, for the grant of a run, `grant_refused`. */
  check(request: IncomingMessage): Promise<void>
  cookieHeader(value: string, maxAgeSeconds: number): string
}

/** Browsers keep cookies per host and not per port, so two servers on one machine need two names. */
export function createCredentials(
  token: OperatorToken,
  signIn: SignIn,
  grants: Pick<Grants, 'use' | 'recordRefusal'>,
  server: { readonly port: number; readonly secure: boolean },
): Credentials {
  const cookieName = `clawboo_${server.port}`
  return {
    async check(request) {
      const { headers } = request
      if (headers.authorization !== undefined) {
        const bearer = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization)?.[1]
        if (bearer !== undefined && token.matches(bearer)) return
        if (bearer !== undefined && looksLikeGrant(bearer)) await refuseGrant(grants, bearer, request)
        throw new ClawbooError('credential_refused', 'the token is not valid; it may have been rotated')
      }
      const cookie = cookieNamed(headers.cookie, cookieName)
      const inAddress = cookie === null ? grantInAddress(request) : null
      if (inAddress !== null) await refuseGrant(grants, inAddress, request)
      if (cookie === null)
        throw new ClawbooError(
          'credential_missing',
          'sign in with a link from `npx clawboo token link`, or send the operator token as a bearer',
        )
      if (!signIn.verifyCookie(cookie))
        throw new ClawbooError(
          'credential_refused',
          'this sign-in has ended; open a new link from `npx clawboo token link`',
        )
    },
    cookieHeader(value, maxAgeSeconds) {
      const secure = server.secure ? '; Secure' : ''
      return `${cookieName}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
    },
  }
}

/** A method and a path, without the query, which may hold a secret. */
export function placeOf({ method, url }: IncomingMessage): string {
  return `${method} ${url?.split('?')[0]}`
}

function grantInAddress({ url = '' }: IncomingMessage): string | null {
  const start = url.indexOf('?')
  const grant = start === -1 ? null : new URLSearchParams(url.slice(start)).get('grant')
  return grant !== null && looksLikeGrant(grant) ? grant : null
}

/** The token is the only key to the operator's addresses; that a run tried is worth knowing. */
async function refuseGrant(
  grants: Pick<Grants, 'use' | 'recordRefusal'>,
  secret: string,
  request: IncomingMessage,
): Promise<never> {
  const { grant } = await grants.use(secret)
  await grants.recordRefusal({ grant, because: 'operator_route', at: placeOf(request) })
  throw new ClawbooError('grant_refused', "a run's grant opens the MCP servers and nothing else")
}

function cookieNamed(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.split('=', 2)
    if (key?.trim() === name && value !== undefined) return value.trim()
  }
  return null
}
