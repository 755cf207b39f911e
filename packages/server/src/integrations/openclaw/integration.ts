import type { Integration } from '../host.ts'
import { OPENCLAW_DESCRIPTOR } from './descriptor.ts'
import { lateRoles } from './late-roles.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'

/** An OpenClaw Gateway on this machine or elsewhere. */
export const openClawIntegration: Integration = {
  id: OPENCLAW_ID,
  descriptors: [OPENCLAW_DESCRIPTOR],
  open: (host) => lateRoles(host),
}
