import type { RuntimeId } from '@clawboo/core/registry'

export const HUMAN_ID: RuntimeId = 'human'
