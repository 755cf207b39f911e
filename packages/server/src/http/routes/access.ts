import { ClawbooError } from '@clawboo/core'
import { createAttemptLimit } from '../../access/attempt-limit.ts'
import type { Audit } from '../../access/audit.ts'
import type { OperatorToken } from '../../access/operator-token.ts'
import type { SignIn } from '../../access/sign-in.ts'
import type { Handlers } from '../app.ts'
import type { Credentials } from '../credentials.ts'

const USED_LINK = 'this sign-in link is used up or expired; create a new one with `npx clawboo token link`'

interface AccessRouteDependencies {
  readonly token: OperatorToken
  readonly signIn: SignIn
  readonly audit: Audit
  readonly credentials: Credentials
  /** The origin of the page. */
  readonly pageUrl: string
}

export function accessRoutes({ token, signIn, audit, credentials, pageUrl }: AccessRouteDependencies) {
  const attempts = createAttemptLimit({ burst: 10, refillMs: 30_000 })
  return {
    async signIn({ body, incoming, context }) {
      const redeemed = signIn.redeem(body.code)
      // Only wrong codes count, so nobody can use up the attempts of a person with a valid code.
      if (!redeemed && !attempts.take(incoming.socket.remoteAddress ?? '')) {
        throw new ClawbooError('rate_limited', 'too many wrong sign-in codes; wait half a minute')
      }
      if (!redeemed) throw new ClawbooError('sign_in_code_refused', USED_LINK)
      await audit.record('access.sign-in', 'browser')
      return context.body(null, 204, {
        'set-cookie': credentials.cookieHeader(redeemed.cookie, redeemed.maxAgeSeconds),
        'cache-control': 'no-store',
      })
    },
    signOut: async ({ context }) => context.body(null, 204, { 'set-cookie': credentials.cookieHeader('', 0) }),
    async createSignInLink() {
      await audit.record('access.sign-in-link', 'browser')
      const { code, expiresAt } = signIn.createCode()
      return { url: `${pageUrl}/sign-in#${code}`, expiresAt }
    },
    async rotateToken() {
      await audit.record('access.rotate-token', 'operator')
      await token.rotate()
      return { rotatedAt: Date.now() }
    },
    async listAudit({ query }) {
      return { entries: await audit.list({ limit: query.limit ?? 50, before: query.before }) }
    },
  } satisfies Partial<Handlers>
}
