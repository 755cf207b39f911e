import { OWN_SOURCE_ID } from '@clawboo/core/registry'
import type { Migration } from './migration.ts'

/** Moves people from their own source to Clawboo's source, like every other agent without an upstream. */
export const moveToOwnSource: Migration = {
  id: '0011-own-source',
  up: [`UPDATE agents SET source_id = '${OWN_SOURCE_ID}' WHERE source_id = 'human'`],
}
