import type { RuntimeDescriptor } from '@clawboo/core/executor'
import { OPENCLAW_ID } from './openclaw-id.ts'
import { OPENCLAW_CLAIMS } from './runtime/openclaw-claims.ts'

export const OPENCLAW_DESCRIPTOR: RuntimeDescriptor = {
  id: OPENCLAW_ID,
  label: 'OpenClaw',
  description: 'Agents of an OpenClaw Gateway, with their own workspaces, skills, memory and channels.',
  participantKind: 'agent',
  claims: OPENCLAW_CLAIMS,
  connecting: {
    addressLabel: 'Gateway address',
    addressExample: 'ws://127.0.0.1:18789',
    secretLabel: 'Gateway token',
    help: 'Start it with `openclaw gateway`. Its token stands in ~/.openclaw/openclaw.json under gateway.auth.token.',
  },
  choices: [
    {
      key: 'permissionMode',
      label: 'Commands and files',
      unset: {
        label: 'As set in OpenClaw',
        about: 'What the Gateway has set for it holds. A new Gateway lets it do everything without asking.',
      },
      values: [
        { value: 'read-only', label: 'Read only', about: 'It reads in its folder, writes nothing and runs nothing.' },
        {
          value: 'guarded',
          label: 'Ask',
          about: 'It works in its folder. Commands that are not on the Gateway’s list wait for you.',
        },
        {
          value: 'workspace',
          label: 'Let a model decide',
          about: 'It works in its folder. A model of the Gateway reads each command, and asks you when in doubt.',
        },
        {
          value: 'full',
          label: 'Everything',
          about: 'Every command runs without asking.',
          warning:
            'It can then do whatever the Gateway can do on its machine: delete files, read secrets, reach the network. A text it reads somewhere can talk it into that.',
        },
      ],
    },
  ],
}
