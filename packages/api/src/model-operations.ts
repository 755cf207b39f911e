import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as providers from './schemas/providers.ts'

const providerParams = z.object({ providerId: idSchema })

/** Operations of model providers. A key is sent to the server and never returned. */
export const MODEL_OPERATIONS = {
  listProviders: {
    tag: 'Models',
    summary: 'List every model provider with its models, and the defaults',
    response: providers.providersSchema,
  },
  saveProvider: {
    tag: 'Models',
    summary: 'Create or change your own provider: an OpenAI-compatible server',
    params: z.object({ providerId: providers.providerIdSchema }),
    body: providers.saveProviderSchema,
    response: providers.providerSchema,
    errors: ['provider_built_in'],
  },
  removeProvider: {
    tag: 'Models',
    summary: 'Remove your own provider and its key',
    params: providerParams,
    response: null,
    status: 204,
    errors: ['provider_not_found', 'provider_built_in'],
  },
  checkProviderKey: {
    tag: 'Models',
    summary: 'Test the stored key with one real request',
    params: providerParams,
    response: providers.keyCheckSchema,
    errors: ['provider_not_found'],
  },
  storeProviderKey: {
    tag: 'Models',
    summary: 'Store a key after one real request has tested it',
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
    summary: 'Choose the default model, its fallbacks and short names',
    body: providers.setModelDefaultsSchema,
    response: providers.modelDefaultsSchema,
    errors: ['model_unknown'],
  },
  findLocalPrograms: {
    tag: 'Models',
    summary: 'Find programs on this machine that serve models',
    response: providers.localProgramsSchema,
  },
  makeDemoTeam: {
    tag: 'Models',
    summary: 'Create a team of three Boos that need no key',
    response: providers.demoTeamSchema,
    status: 201,
    errors: ['model_unknown'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
