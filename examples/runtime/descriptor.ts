import { NO_CAPABILITIES, type RuntimeDescriptor } from '@clawboo/core/executor'

export const ECHO_DESCRIPTOR: RuntimeDescriptor = {
  id: 'echo',
  label: 'Echo',
  description: 'Repeats what it is told.',
  participantKind: 'agent',
  claims: { ...NO_CAPABILITIES, readsFiles: true },
}
