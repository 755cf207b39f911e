import type { OperationOutput } from '@clawboo/api/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { useChange } from './operation.ts'
import { markSignedIn, markSignedOut } from './session.ts'

export type AuditEntry = OperationOutput<'listAudit'>['entries'][number]

const AUDIT_PAGE = 50

export function useSignIn() {
  return useChange((code: string) => client.signIn({ body: { code } }), markSignedIn)
}

export function useSignOut() {
  return useChange(() => client.signOut({}), markSignedOut)
}

export function useSignInLink() {
  return useChange(() => client.createSignInLink({}))
}

export function useRotateToken() {
  return useChange(() => client.rotateToken({}), markSignedOut)
}

/** Checks whether the server accepts this browser. A refusal marks the browser as signed out. */
export function useCheckAccess() {
  return useChange(() => client.getStatus({}), markSignedIn)
}

export function useAudit() {
  return useInfiniteQuery({
    queryKey: ['audit'],
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: AUDIT_PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) }
      return (await client.listAudit({ query, signal })).entries
    },
    getNextPageParam: (page) => (page.length < AUDIT_PAGE ? undefined : page.at(-1)?.id),
  })
}
