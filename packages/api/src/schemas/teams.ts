import { z } from 'zod'
import { nameSchema } from './registry.ts'

export const teamSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    leadAgentId: z.string().nullable().describe('Leads when no Boo Zero exists'),
    agentCount: z.number().int(),
    tenantId: z.string().nullable(),
    archivedAt: z.number().int().nullable(),
    createdAt: z.number().int(),
    updatedAt: z.number().int(),
  })
  .meta({ id: 'Team' })

export const teamDetailSchema = z
  .object({
    team: teamSchema,
    memberIds: z.array(z.string()),
    leaderId: z.string().nullable().describe('The current leader: Boo Zero, else the lead, else the first member'),
  })
  .meta({ id: 'TeamDetail' })

const description = z.string().trim().max(500, 'must have at most 500 characters').nullable()

export const createTeamSchema = z
  .strictObject({
    name: nameSchema,
    description: description.optional(),
    memberIds: z.array(z.string().max(200)).max(500).optional(),
    leadAgentId: z.string().max(200).nullish(),
  })
  .meta({ id: 'CreateTeam' })

export const updateTeamSchema = z
  .strictObject({ name: nameSchema.optional(), description: description.optional() })
  .refine((patch) => Object.keys(patch).length > 0, 'must change at least one field')
  .meta({ id: 'UpdateTeam' })

export const setTeamLeadSchema = z
  .strictObject({ agentId: z.string().max(200).nullable().describe('A member, or null for none') })
  .meta({ id: 'SetTeamLead' })

export const teamProjectSchema = z
  .object({
    folder: z.string().nullable().describe('null = its tasks run in the Boos’ own workspaces'),
    checkCommand: z.string().nullable(),
    kind: z
      .enum(['repository', 'folder', 'missing', 'none'])
      .describe('A git repository, a plain folder, a missing folder, or no project'),
  })
  .meta({ id: 'TeamProject' })

export const setTeamProjectSchema = z
  .strictObject({
    folder: z
      .string()
      .min(1, 'must not be empty')
      .max(4096)
      .regex(/^\P{Cc}*$/u, 'must not contain control characters')
      .nullable()
      .describe('The absolute path of an existing folder'),
    checkCommand: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(4000)
      .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be text that can be stored')
      .nullable()
      .describe('Run by a shell in the worktree of a task; exit code 0 means success'),
  })
  .meta({ id: 'SetTeamProject' })
