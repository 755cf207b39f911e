import type { KeyCheck, LocalProgram, ModelDefaults, ModelProvider } from '@clawboo/core/executor'
import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import { nameSchema } from './schemas/registry.ts'

const modelRef = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')

export const providerIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and dashes, at most 40')

export const providerSchema: z.ZodType<ModelProvider, ModelProvider> = z
  .object({
    id: z.string(),
    label: z.string(),
    kind: z.string(),
    builtIn: z.boolean(),
    scripted: z.boolean().describe('Its replies are scripted; there is no model behind them'),
    needsKey: z.boolean(),
    keyStored: z.boolean(),
    baseUrl: z.string().nullable(),
    keyPage: z.string().nullable().describe('Where to get a key'),
    state: z.enum(['ready', 'needs-key', 'unreachable', 'cooling']),
    detail: z.string().nullable(),
    models: z.array(
      z.object({
        ref: z.string().describe('The reference to use in a Boo’s settings'),
        id: z.string(),
        label: z.string(),
        contextWindowTokens: z.number().int().nullable(),
        price: z
          .object({ inputUsd: z.number(), outputUsd: z.number() })
          .nullable()
          .describe('Dollars per million tokens; null = unknown'),
      }),
    ),
  })
  .meta({ id: 'Provider' })

export const modelDefaultsSchema: z.ZodType<ModelDefaults, ModelDefaults> = z
  .object({
    defaultModel: z.string().nullable(),
    fallbackModels: z.array(z.string()),
    aliases: z.record(z.string(), z.string()).describe('Short names, by model'),
  })
  .meta({ id: 'ModelDefaults' })

export const providersSchema = z
  .object({
    providers: z.array(providerSchema),
    defaults: modelDefaultsSchema,
    demoModel: z.string().nullable().describe('A model that needs no key; null = there is none'),
  })
  .meta({ id: 'Providers' })

export const setModelDefaultsSchema = z
  .strictObject({
    defaultModel: modelRef.nullable().optional(),
    fallbackModels: z.array(modelRef).max(10).optional(),
    aliases: z
      .record(z.string().trim().min(1).max(60), modelRef)
      .refine((aliases) => Object.keys(aliases).length <= 100, 'must be at most 100')
      .optional(),
  })
  .refine((patch) => Object.values(patch).some((value) => value !== undefined), 'must change at least one default')
  .meta({ id: 'SetModelDefaults' })

export const keyCheckSchema: z.ZodType<KeyCheck, KeyCheck> = z
  .object({ result: z.enum(['ok', 'refused', 'unreachable']), detail: z.string().nullable() })
  .meta({ id: 'KeyCheck' })

export const storeKeySchema = z
  .strictObject({
    key: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(500)
      .regex(/^[\x21-\x7e]*$/, 'must be one word of plain characters'),
    storeAnyway: z.boolean().optional().describe('Store it even when the check fails'),
  })
  .meta({ id: 'StoreKey' })

export const storedKeySchema = z.object({ stored: z.boolean(), check: keyCheckSchema }).meta({ id: 'StoredKey' })

export const saveProviderSchema = z
  .strictObject({
    label: nameSchema,
    baseUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .max(500)
      .refine(isPlainUrl, 'must not contain a password, query or fragment; send the key separately')
      .describe('Of an OpenAI-compatible server'),
    models: z
      .array(
        z.strictObject({
          id: modelRef,
          contextWindowTokens: z.number().int().min(1).max(100_000_000).optional(),
        }),
      )
      .max(200)
      .optional(),
  })
  .meta({ id: 'SaveProvider' })

export const localProgramsSchema = z
  .object({
    programs: z.array(
      z
        .object({
          id: z.string(),
          label: z.string(),
          found: z.boolean(),
          detail: z.string().nullable(),
          models: z.array(z.string()).describe('The refs of its models'),
        })
        .meta({ id: 'LocalProgram' }) as z.ZodType<LocalProgram, LocalProgram>,
    ),
  })
  .meta({ id: 'LocalPrograms' })

export const demoTeamSchema = z.object({ teamId: z.string(), agentIds: z.array(z.string()) }).meta({ id: 'DemoTeam' })

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && !url.username && !url.password && !url.search && !url.hash
}

const providerParams = z.object({ providerId: idSchema })

/** Operations of model providers. A key is sent to the server and never returned. */
export const MODEL_OPERATIONS = {
  listProviders: {
    tag: 'Models',
    summary: 'List every model provider with its models, and the defaults',
    response: providersSchema,
  },
  saveProvider: {
    tag: 'Models',
    summary: 'Create or change your own provider: an OpenAI-compatible server',
    params: z.object({ providerId: providerIdSchema }),
    body: saveProviderSchema,
    response: providerSchema,
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
    response: keyCheckSchema,
    errors: ['provider_not_found'],
  },
  storeProviderKey: {
    tag: 'Models',
    summary: 'Store a key after one real request has tested it',
    params: providerParams,
    body: storeKeySchema,
    response: storedKeySchema,
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
    body: setModelDefaultsSchema,
    response: modelDefaultsSchema,
    errors: ['model_unknown'],
  },
  findLocalPrograms: {
    tag: 'Models',
    summary: 'Find programs on this machine that serve models',
    response: localProgramsSchema,
  },
  makeDemoTeam: {
    tag: 'Models',
    summary: 'Create a team of three Boos that need no key',
    response: demoTeamSchema,
    status: 201,
    errors: ['model_unknown'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
