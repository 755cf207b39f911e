import type { RuntimeDescriptor } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { nativeCapabilities } from './native-claims.ts'
import { NATIVE_ID } from './native-id.ts'

export const nativeDescriptor = (host: IntegrationHost): RuntimeDescriptor => ({
  claims: nativeCapabilities(host),
  id: NATIVE_ID,
  label: 'Native',
  description: 'Ships with Clawboo and needs nothing else.',
  participantKind: 'agent',
  choices: [
    {
      key: 'exec.security',
      label: 'Commands',
      unset: 'allowlist',
      values: [
        { value: 'deny', label: 'No commands', about: 'It can read and write files, and runs nothing.' },
        {
          value: 'allowlist',
          label: 'Ask for what is not on the list',
          about: 'Commands on its list run. Everything else waits for you.',
        },
        {
          value: 'full',
          label: 'Everything',
          about: 'Every command runs without asking.',
          warning:
            'It can then do whatever you can do on this machine: delete files, read secrets, reach the network. A text it reads somewhere can talk it into that. Choose this only for a machine you can lose.',
        },
      ],
    },
  ],
})
