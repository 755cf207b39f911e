import type { Store } from '../store/open-store.ts'
import { type Audit, createAudit } from './audit.ts'
import { createGrants, type Grants } from './grants.ts'
import { secretsByIntegration } from './integration-secrets.ts'
import type { OperatorToken } from './operator-token.ts'
import { createSignIn, type SignIn } from './sign-in.ts'

/** Who may do what: the operator's token and sign-in, the grants of runs, the vault and the audit. */
export interface Access {
  readonly token: OperatorToken
  readonly signIn: SignIn
  readonly grants: Grants
  readonly audit: Audit
  readonly secretsOf: ReturnType<typeof secretsByIntegration>
}

export function openAccess(options: {
  readonly store: Store
  readonly token: OperatorToken
  readonly home: string
  readonly masterKey: string | null
}): Access {
  const { store, token, home, masterKey } = options
  return {
    token,
    signIn: createSignIn(token),
    grants: createGrants(store),
    audit: createAudit(store),
    secretsOf: secretsByIntegration(home, masterKey),
  }
}
