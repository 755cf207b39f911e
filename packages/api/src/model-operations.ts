import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as providers from './schemas/providers.ts'

const providerParams = z.object({ providerId: idSchema })

/** Where models come from. A key goes in and never comes out. */
export const MODEL_OPERATIONS = {
  listProviders: {
    tag: 'Models',
    summary: 'Every model provider with its models, and the defaults',
    response: providers.providersSchema,
  },
  saveProvider: {
    tag: 'Models',
    summary: 'Make or change a provider of your own: an OpenAI-compatible server',
    params: z.object({ providerId: providers.providerIdSchema }),
    body: providers.saveProviderSchema,
    response: providers.providerSchema,
    errors: ['provider_built_in'],
  },
  removeProvider: {
    tag: 'Models',
    summary: 'Remove a provider of your own with its key',
    params: providerParams,
    response: null,
    status: 204,
    errors: ['provider_not_found', 'provider_built_in'],
  },
  checkProviderKey: {
    tag: 'Models',
    summary: 'Prove the stored key by one real request',
    params: providerParams,
    response: providers.keyCheckSchema,
    errors: ['provider_not_found'],
  },
  storeProviderKey: {
    tag: 'Models',
    summary: 'Store a key once one real request has proved it',
    params: providerParams,
    body: providers.storeKeySchema,
    response: providers.storedKeySchema,
    errors: ['provider_not_found'],
  },
  removeProviderKey: {
    tag: 'Models',
    summary: 'Forget a key',
    params: providerParams,
    response: null,
    status: 204,
    errors: ['provider_not_found'],
  },
  setModelDefaults: {
    tag: 'Models',
    summary: 'Choose the default model, what stands in for it, and short names',
    body: providers.setModelDefaultsSchema,
    response: providers.modelDefaultsSchema,
    errors: ['model_unknown'],
  },
  findLocalPrograms: {
    tag: 'Models',
    summary: 'Programs on this machine that serve models',
    response: providers.localProgramsSchema,
  },
  makeDemoTeam: {
    tag: 'Models',
    summary: 'Make a team of three Boos that run without a key',
    response: providers.demoTeamSchema,
    status: 201,
    errors: ['model_unknown'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
