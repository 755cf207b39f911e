import type { IncomingMessage } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import type { OperatorToken } from '../access/operator-token.ts'
import type { SignIn } from '../access/sign-in.ts'

/** Decides who sends a request, from what it carries. There is one answer today: the operator, or nobody. */
export interface Credentials {
  /** Throws `credential_missing` or `credential_refused`. */
  check(request: IncomingMessage): void
  cookieHeader(value: string, maxAgeSeconds: number): string
}

/** Browsers keep cookies per host and not per port, so two servers on one machine need two names. */
export function createCredentials(
  token: OperatorToken,
  signIn: SignIn,
  server: { readonly port: number; readonly secure: boolean },
): Credentials {
  const cookieName = `clawboo_${server.port}`
  return {
    check({ headers }) {
      if (headers.authorization !== undefined) {
        const bearer = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization)
        if (bearer && token.matches(bearer[1]!)) return
        throw new ClawbooError('credential_refused', 'the token is not valid; it may have been rotated')
      }
      const cookie = cookieNamed(headers.cookie, cookieName)
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

function cookieNamed(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.split('=', 2)
    if (key?.trim() === name && value !== undefined) return value.trim()
  }
  return null
}
