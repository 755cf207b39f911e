import type { Store } from '../store/open-store.ts'
import { createAudit } from './audit.ts'
import { createGrants } from './grants.ts'
import { secretsByIntegration } from './integration-secrets.ts'
import type { OperatorToken } from './operator-token.ts'
import { createSignIn } from './sign-in.ts'

export type Access = ReturnType<typeof openAccess>

/** Opens the access rules: the operator's token and sign-in, the grants of runs, the vault and the audit. */
export function openAccess(options: {
  readonly store: Store
  readonly token: OperatorToken
  readonly home: string
  readonly masterKey: string | null
}) {
  const { store, token, home, masterKey } = options
  return {
    token,
    signIn: createSignIn(token),
    grants: createGrants(store),
    audit: createAudit(store),
    secretsOf: secretsByIntegration(home, masterKey),
  }
}
