import type { IncomingMessage } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import { type Grants, looksLikeGrant } from '../access/grants.ts'
import type { OperatorToken } from '../access/operator-token.ts'
import type { SignIn } from '../access/sign-in.ts'

export type Credentials = ReturnType<typeof createCredentials>

/** Checks that the credential of a request belongs to the operator. */
export function createCredentials(
  token: OperatorToken,
  signIn: SignIn,
  grants: Pick<Grants, 'use' | 'recordRefusal'>,
  server: { readonly port: number; readonly secure: boolean },
) {
  // Browsers store cookies per host, not per port, so two servers on one machine need two names.
  const cookieName = `clawboo_${server.port}`
  return {
    /** Rejects with `credential_missing`, `credential_refused` or, for the grant of a run, `grant_refused`. */
    async check(request: IncomingMessage) {
      const { headers } = request
      if (headers.authorization !== undefined) {
        const bearer = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization)?.[1]
        if (bearer !== undefined && token.matches(bearer)) return
        if (bearer !== undefined && looksLikeGrant(bearer)) await refuseGrant(grants, bearer, request)
        throw new ClawbooError('credential_refused', 'the token is not valid; it may have been replaced')
      }
      const cookie = cookieNamed(headers.cookie, cookieName)
      const inAddress = cookie === null ? grantInAddress(request) : null
      if (inAddress !== null) await refuseGrant(grants, inAddress, request)
      if (cookie === null)
        throw new ClawbooError(
          'credential_missing',
          'sign in with a link from `npx clawboo token link`, or send the operator token as a bearer token',
        )
      if (!signIn.verifyCookie(cookie))
        throw new ClawbooError(
          'credential_refused',
          'this sign-in has expired; open a new link from `npx clawboo token link`',
        )
    },
    cookieHeader(value: string, maxAgeSeconds: number) {
      const secure = server.secure ? '; Secure' : ''
      return `${cookieName}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
    },
  }
}

/** The method and path, without the query, which may contain a secret. */
export function placeOf({ method, url }: IncomingMessage): string {
  return `${method} ${url?.split('?')[0]}`
}

function grantInAddress({ url = '' }: IncomingMessage): string | null {
  const start = url.indexOf('?')
  const grant = start === -1 ? null : new URLSearchParams(url.slice(start)).get('grant')
  return grant !== null && looksLikeGrant(grant) ? grant : null
}

/** Only the operator's token opens the operator's routes; an attempt with a grant is recorded. */
async function refuseGrant(
  grants: Pick<Grants, 'use' | 'recordRefusal'>,
  secret: string,
  request: IncomingMessage,
): Promise<never> {
  const { grant } = await grants.use(secret)
  await grants.recordRefusal({ grant, because: 'operator_route', at: placeOf(request) })
  throw new ClawbooError('grant_refused', "a run's grant is valid only for the MCP servers")
}

function cookieNamed(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.split('=', 2)
    if (key?.trim() === name && value !== undefined) return value.trim()
  }
  return null
}
