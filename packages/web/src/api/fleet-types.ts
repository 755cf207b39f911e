import type { OperationOutput } from '@clawboo/api/client'

/** The records that the event feed changes. They are separate from the queries that apply its events. */
export type Fleet = OperationOutput<'listAgents'>
export type Agent = OperationOutput<'getAgent'>
export type Team = OperationOutput<'listTeams'>['teams'][number]
