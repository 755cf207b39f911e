import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OperatorToken } from './operator-token.ts'

export type SignIn = ReturnType<typeof createSignIn>

const CODE_LIFETIME_MS = 30 * 60_000
const COOKIE_LIFETIME_MS = 30 * 24 * 60 * 60_000
const MAX_OPEN_CODES = 20

/**
 * Exchanges one-time codes for cookies. Cookies are signed with a key derived from the token, so rotating the token
 * ends them all.
 */
export function createSignIn(token: OperatorToken, now: () => number = Date.now) {
  /** Maps the digest of a code to its expiry, oldest first. */
  const openCodes = new Map<string, number>()
  let key = token.deriveKey('sign-in-cookie')
  token.onRotate(() => {
    key = token.deriveKey('sign-in-cookie')
    openCodes.clear()
  })
  const sign = (text: string) => createHmac('sha256', key).update(text).digest()

  return {
    /** Creates a code that works once, until `expiresAt`. */
    createCode() {
      const code = randomBytes(24).toString('base64url')
      const expiresAt = now() + CODE_LIFETIME_MS
      for (const oldest of openCodes.keys()) {
        if (openCodes.size < MAX_OPEN_CODES) break
        openCodes.delete(oldest)
      }
      openCodes.set(digestOf(code), expiresAt)
      return { code, expiresAt }
    },

    /** Returns the cookie, or null for a used, expired or unknown code. */
    redeem(code: string) {
      const digest = digestOf(code)
      const expiresAt = openCodes.get(digest)
      if (expiresAt === undefined) return null
      openCodes.delete(digest)
      if (expiresAt < now()) return null
      const claim = `${now() + COOKIE_LIFETIME_MS}.${randomBytes(16).toString('base64url')}`
      return { cookie: `${claim}.${sign(claim).toString('base64url')}`, maxAgeSeconds: COOKIE_LIFETIME_MS / 1000 }
    },

    verifyCookie(value: string) {
      const match = /^((\d{13})\.[\w-]{22})\.([\w-]{43})$/.exec(value)
      if (!match) return false
      return timingSafeEqual(sign(match[1]!), Buffer.from(match[3]!, 'base64url')) && Number(match[2]) > now()
    },
  }
}

/** Codes are looked up by digest, so the duration of a look-up reveals nothing about a code. */
function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64')
}
