import type { RuntimeDescriptor } from '../host.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'

export const OPENCLAW_DESCRIPTOR: RuntimeDescriptor = {
  id: OPENCLAW_ID,
  label: 'OpenClaw',
  description: 'Agents of an OpenClaw Gateway, with their own workspaces, skills, memory and channels.',
  participantKind: 'agent',
  connecting: {
    addressLabel: 'Gateway address',
    addressExample: 'ws://127.0.0.1:18789',
    secretLabel: 'Gateway token',
    help: 'Start it with `openclaw gateway`. Its token stands in ~/.openclaw/openclaw.json under gateway.auth.token.',
  },
}
