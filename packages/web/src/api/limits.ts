import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { client } from './client.ts'
import { FRESH, operationKey, useChange, useOperation } from './operation.ts'

export type Limits = OperationOutput<'getLimits'>
export type LimitsPatch = OperationInput<'setLimits'>['body']

/** No event reports spending. */
export function useLimits() {
  return useOperation('getLimits', {}, FRESH)
}

export function useSetLimits() {
  return useChange(
    (body: LimitsPatch) => client.setLimits({ body }),
    (limits, queries) => queries.setQueryData<Limits>(operationKey('getLimits', {}), limits),
  )
}
