import type { Capabilities, RuntimeDescriptor } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'

export const OPENCLAW_ID = 'openclaw'

/** The key of the setting that stores the configured connection. */
export const CONNECTION_SETTING = 'connection'

export async function isConnectionConfigured({ settings }: IntegrationHost): Promise<boolean> {
  return Boolean((await settings.get<{ readonly address?: string }>(CONNECTION_SETTING))?.address)
}

/** The Gateway owns the home, the skills, the memory and the channels; the host only sends messages. */
export const OPENCLAW_CLAIMS: Capabilities = {
  streaming: true,
  // OpenClaw agents get no host tools, because the Gateway cannot bind a tool to a single run.
  mcp: false,
  worktrees: false,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  // The Gateway calls its models itself and reports the cost afterwards.
  asksBeforeModelCall: false,
  readsFiles: true,
  workingCopies: false,
  ownModels: true,
  inspectable: false,
  hasWorkspace: false,
  outlivesHost: true,
  modelHoldsFrom: 'run',
  // In a direct conversation a Gateway treats `NO_REPLY` as a missing answer and calls the model again.
  passToken: 'NOTHING_TO_SAY',
  runtimeClass: 'connected-substrate',
  nativeHome: true,
  nativeSkills: true,
  nativeMemory: true,
  nativeChannels: true,
}

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
    help: 'Start it with `openclaw gateway`. Find its token in ~/.openclaw/openclaw.json under gateway.auth.token.',
  },
  choices: [
    {
      key: 'permissionMode',
      label: 'Commands and files',
      unset: {
        label: 'As set in OpenClaw',
        about: 'The Gateway’s own setting applies. A new Gateway lets it do everything without asking.',
      },
      values: [
        {
          value: 'read-only',
          label: 'Read only',
          about: 'It can read its folder, but cannot write files or run commands.',
        },
        {
          value: 'guarded',
          label: 'Ask',
          about: 'It works in its folder. It asks you before it runs a command that is not on the Gateway’s list.',
        },
        {
          value: 'workspace',
          label: 'Let a model decide',
          about: 'It works in its folder. A model of the Gateway checks each command and asks you if it is unsure.',
        },
        {
          value: 'full',
          label: 'Everything',
          about: 'Every command runs without asking.',
          warning:
            'It can then do whatever the Gateway can do on its machine: delete files, read secrets, reach the network. Text that it reads can trick it into doing that.',
        },
      ],
    },
  ],
}
