import { AGENT_FILE_MAX_CHARACTERS, AGENT_FILE_NAMES, AGENT_STATUSES, type SyncResult } from '@clawboo/core/registry'
import { z } from 'zod'

/** JSON of any shape; `unknown` alone would make the field optional in the document. */
const json = z.unknown().nullable()
/** The fleet contains every config, so each must stay small. */
const config = json.refine(
  (value) => JSON.stringify(value ?? null).length <= 16_384,
  'must have at most 16384 characters as JSON',
)
const epochMs = z.number().int().describe('Epoch milliseconds')

/** A name for people: visible characters on one line. */
export const nameSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(80, 'must have at most 80 characters')
  .regex(
    /^(?:\u200d|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}])*$/u,
    'must not contain control or invisible characters or line breaks',
  )
  .refine(isVisible, 'must not be empty')

export const agentSchema = z
  .object({
    id: z.string(),
    sourceId: z.string(),
    sourceAgentId: z.string(),
    displayName: z.string(),
    emoji: z.string().nullable(),
    avatarUrl: z.string().nullable(),
    avatarSeed: z.string().nullable(),
    status: z.enum(AGENT_STATUSES),
    statusAt: epochMs,
    sessionKey: z.string().nullable(),
    isDefault: z.boolean(),
    teamId: z.string().nullable(),
    personalityConfig: json,
    execConfig: json,
    capabilities: json,
    participantKind: z.enum(['agent', 'human']),
    runtime: z.string(),
    tenantId: z.string().nullable(),
    archivedAt: epochMs.nullable(),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .meta({ id: 'Agent', description: 'One member of the fleet: who exists, never how it runs.' })

export const sourceStatusSchema = z
  .object({
    sourceId: z.string(),
    label: z.string().describe('The name for people'),
    connectable: z.boolean().describe('True when a person connects it to its upstream'),
    hasToolPolicy: z.boolean().describe('True when its upstream has a tool policy that can be read and changed'),
    state: z.enum(['connected', 'connecting', 'reconnecting', 'disconnected']),
    lastSyncAt: epochMs.nullable().describe('The age of the data is now minus this'),
    stale: z.boolean().describe('True while its agents are shown as last seen'),
    trouble: z.enum(['none', 'offline', 'broken']).describe('`none` also for a source that was never connected'),
    detail: z.string().optional(),
  })
  .meta({ id: 'SourceStatus' })

export const fleetSchema = z
  .object({
    agents: z.array(agentSchema),
    defaultId: z.string().nullable().describe("The first source's default agent"),
    mainKey: z.string().nullable().describe("The name of the default source's main session"),
    booZeroId: z.string().nullable(),
    stale: z.boolean().describe('True when at least one source is stale'),
    sources: z.array(sourceStatusSchema),
  })
  .meta({ id: 'Fleet' })

export const fleetQuerySchema = z.strictObject({
  team: z.string().max(200).optional().describe('A team id, or `none` for agents without a team'),
  runtime: z.string().max(100).optional(),
  status: z.enum(AGENT_STATUSES).optional(),
  text: z.string().max(200).optional().describe('Part of a name or role; case and accents do not matter'),
  includeArchived: z.enum(['true', 'false']).optional(),
})

const agentFilesInput = z.partialRecord(z.enum(AGENT_FILE_NAMES), z.string().max(AGENT_FILE_MAX_CHARACTERS))

export const createAgentSchema = z
  .strictObject({
    name: nameSchema,
    sourceId: z.string().max(100).optional().describe('The source to create it in; the first one by default'),
    teamId: z.string().max(200).nullish(),
    participantKind: z.enum(['agent', 'human']).optional(),
    runtime: z.string().max(100).optional(),
    emoji: z.string().max(32, 'must be one emoji or a few characters').nullish(),
    avatarSeed: z.string().max(200).nullish(),
    personalityConfig: config.optional(),
    execConfig: config.optional(),
    files: agentFilesInput.optional(),
  })
  .meta({ id: 'CreateAgent' })

export const updateAgentSchema = z
  .strictObject({
    name: nameSchema.optional(),
    teamId: z.string().max(200).nullable().optional(),
    emoji: z.string().max(32, 'must be one emoji or a few characters').nullable().optional(),
    avatarSeed: z.string().max(200).nullable().optional(),
    personalityConfig: config.optional(),
    execConfig: config.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'must change at least one field')
  .meta({ id: 'UpdateAgent' })

export const moveAgentSchema = z.strictObject({ runtime: z.string().min(1).max(100) }).meta({ id: 'MoveAgent' })

export const sessionSchema = z
  .object({
    id: z.string(),
    agentId: z.string(),
    sourceSessionId: z.string(),
    title: z.string().nullable(),
    preview: z.string().nullable().describe('The beginning of the last message'),
    status: z.enum(['active', 'idle', 'closed']),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .meta({ id: 'Session' })

export const syncResultSchema: z.ZodType<SyncResult, SyncResult> = z
  .object({
    added: z.number().int(),
    updated: z.number().int(),
    archived: z.number().int(),
    revived: z.number().int(),
    unchanged: z.number().int(),
    refused: z
      .array(z.object({ sourceAgentId: z.string(), reason: z.string() }))
      .optional()
      .describe('The entries that could not become agents, and why; absent when there are none'),
    at: epochMs,
  })
  .meta({ id: 'SyncResult' })

const choiceWords = z.object({ label: z.string(), about: z.string() })

export const runtimeModelSchema = z
  .object({ ref: z.string().describe('In the form that `model` accepts'), label: z.string() })
  .meta({ id: 'RuntimeModel' })

export const runtimeSchema = z.object({
  id: z.string(),
  label: z.string(),
  participantKind: z.enum(['agent', 'human']),
  description: z.string(),
  connecting: z
    .object({
      addressLabel: z.string(),
      addressExample: z.string(),
      secretLabel: z.string(),
      help: z.string(),
    })
    .optional()
    .describe('The text for the person who connects it; absent when it cannot be connected'),
  choices: z
    .array(
      z.object({
        key: z.string().describe('Its path in `execConfig`; a dot separates nested fields'),
        label: z.string(),
        unset: z
          .union([choiceWords, z.string()])
          .describe('The default: a value that is not in `values`, or one of them'),
        values: z.array(choiceWords.extend({ value: z.string(), warning: z.string().optional() })).readonly(),
      }),
    )
    .readonly()
    .optional()
    .describe('The settings that a person can choose for its Boos, besides the model and the budget'),
  ownModels: z.boolean().describe('Its Boos call models of the runtime, not those of the providers set up here'),
  inspectable: z.boolean().describe('Whether a person can see the input of a Boo’s next run'),
  hasWorkspace: z.boolean().describe('Whether a person can browse the folder that a Boo works in'),
  keepsItsOwn: z.boolean().describe('Its Boos cannot move to another runtime, and no other Boo can move to it'),
  home: z
    .enum(['connected', 'persistent', 'ephemeral'])
    .describe('The place of its private state: in the runtime itself, in a folder per Boo, or in a folder per run'),
  keepsSkills: z.boolean().describe('Whether skills that a Boo acquires in it remain for the next run'),
  keepsMemory: z.boolean().describe('Whether its own memory of a Boo remains for the next run'),
  delivery: z
    .enum(['own-channels', 'host'])
    .describe('Whether it also delivers messages over channels of its own, such as a chat app'),
  missingClaims: z.array(z.string()).describe('The capabilities that it claims and lacked in its last run'),
})

/** Invisible letters and symbols do not make a name. */
function isVisible(name: string): boolean {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.replace(/[\u2800\u115f\u1160\u3164\uffa0]/g, ''))
}
