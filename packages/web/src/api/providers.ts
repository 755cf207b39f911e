import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { type QueryClient, useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../live/read-anew.ts'
import { client } from './client.ts'
import { FRESH, operationKey, useChange, useOperation } from './operation.ts'

export type Providers = OperationOutput<'listProviders'>
export type Provider = Providers['providers'][number]
export type ProvidedModel = Provider['models'][number]
export type ModelDefaults = Providers['defaults']
export type KeyCheck = OperationOutput<'checkProviderKey'>
export type LocalProgram = OperationOutput<'findLocalPrograms'>['programs'][number]

type OwnProvider = OperationInput<'saveProvider'>['body'] & { readonly providerId: string }

export function useProviders() {
  return useOperation('listProviders', {})
}

/** Stores a key if a test request succeeds, or always with `storeAnyway`. Returns the result of the test. */
export function useStoreKey(providerId: string) {
  return useChange(
    (body: { readonly key: string; readonly storeAnyway: boolean }) =>
      client.storeProviderKey({ params: { providerId }, body }),
    ({ stored }, queries) => (stored ? readProviders(null, queries) : undefined),
  )
}

export function useRemoveKey(providerId: string) {
  return useChange(() => client.removeProviderKey({ params: { providerId } }), readProviders)
}

export function useCheckKey(providerId: string) {
  return useChange(() => client.checkProviderKey({ params: { providerId } }), readProviders)
}

export function useSaveProvider() {
  return useChange(
    ({ providerId, ...body }: OwnProvider) => client.saveProvider({ params: { providerId }, body }),
    readProviders,
  )
}

export function useRemoveProvider(providerId: string) {
  return useChange(() => client.removeProvider({ params: { providerId } }), readProviders)
}

export function useSetModelDefaults() {
  return useChange(
    (body: OperationInput<'setModelDefaults'>['body']) => client.setModelDefaults({ body }),
    readProviders,
  )
}

/** No event reports that a program started or stopped. */
export function useLocalPrograms() {
  return useOperation('findLocalPrograms', {}, { ...FRESH, select: ({ programs }) => programs })
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

export function useIsMakingDemoTeam(): boolean {
  return useIsMutating({ mutationKey: demoTeamKey }) > 0
}

/** A change counts as done only after the providers are fetched again, so that the page shows the new state at once. */
function readProviders(_: unknown, queries: QueryClient): Promise<void> {
  return readAnew(queries, operationKey('listProviders'))
}
