import type { OperationOutput } from '@clawboo/api/client'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { markSignedIn, markSignedOut } from './session.ts'

export type AuditEntry = OperationOutput<'listAudit'>['entries'][number]

const AUDIT_PAGE = 50

export function useSignIn() {
  return useMutation({ mutationFn: (code: string) => client.signIn({ body: { code } }), onSuccess: markSignedIn })
}

export function useSignOut() {
  return useMutation({ mutationFn: () => client.signOut({}), onSuccess: markSignedOut })
}

export function useSignInLink() {
  return useMutation({ mutationFn: () => client.createSignInLink({}) })
}

export function useRotateToken() {
  return useMutation({ mutationFn: () => client.rotateToken({}), onSuccess: markSignedOut })
}

/** Checks whether the server accepts this browser. A refusal marks the browser as signed out. */
export function useCheckAccess() {
  return useMutation({ mutationFn: () => client.getStatus({}), onSuccess: markSignedIn })
}

export function useStatus() {
  return useQuery({ queryKey: ['status'], queryFn: ({ signal }) => client.getStatus({ signal }), staleTime: 0 })
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

export function useOpenApiDocument() {
  return useQuery({ queryKey: ['openapi'], queryFn: ({ signal }) => client.getOpenApi({ signal }) })
}
