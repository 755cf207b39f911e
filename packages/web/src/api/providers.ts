import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'

export type Providers = OperationOutput<'listProviders'>
export type Provider = Providers['providers'][number]
export type ProvidedModel = Provider['models'][number]
export type ModelDefaults = Providers['defaults']
export type OwnProvider = OperationInput<'saveProvider'>['body']
export type KeyCheck = OperationOutput<'checkProviderKey'>
export type LocalProgram = OperationOutput<'findLocalPrograms'>['programs'][number]

const providersKey = ['providers'] as const

export function useProviders() {
  return useQuery({ queryKey: providersKey, queryFn: ({ signal }) => client.listProviders({ signal }) })
}

/** Stores a key if one real request accepts it, or in any case with `storeAnyway`. The response shows the result of the test. */
export function useStoreKey(providerId: string) {
  const renew = useRenewProviders()
  return useMutation({
    mutationFn: (body: { readonly key: string; readonly storeAnyway: boolean }) =>
      client.storeProviderKey({ params: { providerId }, body }),
    onSuccess: ({ stored }) => (stored ? renew() : undefined),
  })
}

export function useRemoveKey(providerId: string) {
  const renew = useRenewProviders()
  return useMutation({ mutationFn: () => client.removeProviderKey({ params: { providerId } }), onSuccess: renew })
}

export function useCheckKey(providerId: string) {
  const renew = useRenewProviders()
  return useMutation({ mutationFn: () => client.checkProviderKey({ params: { providerId } }), onSuccess: renew })
}

export function useSaveProvider() {
  const renew = useRenewProviders()
  return useMutation({
    mutationFn: ({ providerId, ...body }: OwnProvider & { readonly providerId: string }) =>
      client.saveProvider({ params: { providerId }, body }),
    onSuccess: renew,
  })
}

export function useRemoveProvider(providerId: string) {
  const renew = useRenewProviders()
  return useMutation({ mutationFn: () => client.removeProvider({ params: { providerId } }), onSuccess: renew })
}

export function useSetModelDefaults() {
  const renew = useRenewProviders()
  return useMutation({
    mutationFn: (body: OperationInput<'setModelDefaults'>['body']) => client.setModelDefaults({ body }),
    onSuccess: renew,
  })
}

/** Fetched each time it is shown: no event reports that a program started or stopped. */
export function useLocalPrograms() {
  return useQuery({
    queryKey: ['local-programs'],
    queryFn: async ({ signal }) => (await client.findLocalPrograms({ signal })).programs,
    staleTime: 0,
  })
}

const demoTeamKey = ['demo-team'] as const

export function useMakeDemoTeam() {
  const queries = useQueryClient()
  return useMutation({
    mutationKey: demoTeamKey,
    mutationFn: () => client.makeDemoTeam({}),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['fleet'] }),
        queries.invalidateQueries({ queryKey: ['teams'] }),
      ]),
  })
}

/** Whether any part of the page is creating the demo team. */
export function useIsMakingDemoTeam(): boolean {
  return useIsMutating({ mutationKey: demoTeamKey }) > 0
}

/** A change counts as done only after the providers are fetched again, so that the page then shows the new state. */
function useRenewProviders() {
  const queries = useQueryClient()
  return () => refreshProviders(queries)
}

export function refreshProviders(queries: QueryClient): Promise<void> {
  return readAnew(queries, providersKey)
}
