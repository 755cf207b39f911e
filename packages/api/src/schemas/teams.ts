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
    leaderId: z.string().nullable().describe('Who leads now: Boo Zero, else the lead, else the first member'),
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
