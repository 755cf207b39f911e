import {
  type Capabilities,
  fixedCatalogue,
  type ModelProviders,
  type RuntimeAdapter,
  type RuntimeDescriptor,
} from '@clawboo/core/executor'
import type { Integration, IntegrationHost } from '../host.ts'
import { DEMO_CANDIDATE } from './models/demo/demo-candidate.ts'
import { refOf } from './models/failover/failover.ts'

const NATIVE_ID = 'clawboo-native'

/** The runtime in the server's process, and the models that it and others call. */
export const nativeIntegration: Integration = {
  id: NATIVE_ID,
  open(host) {
    const descriptor = nativeDescriptor(host)
    let opened: { readonly runtime: RuntimeAdapter; readonly modelProviders: ModelProviders } | null = null
    /** The runtime and the page share the same models. */
    const open = async () => {
      const [{ openModels }, { createNativeRuntime }] = await Promise.all([
        import('./model-providers.ts'),
        import('./runtime.ts'),
      ])
      if (opened === null) {
        const { models, modelProviders } = openModels(host)
        opened = { runtime: createNativeRuntime(host, models, descriptor), modelProviders }
      }
      return opened
    }
    return {
      runtimes: fixedCatalogue({
        descriptor,
        checkExecConfig: async (config) => (await import('./agent-config.ts')).checkExecConfig(config),
        load: async () => (await open()).runtime,
      }),
      modelProviders: {
        demoModel: refOf(DEMO_CANDIDATE),
        load: async () => (await open()).modelProviders,
      },
    }
  },
}

const CLAIMS: Capabilities = {
  streaming: true,
  mcp: true,
  worktrees: true,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
  asksBeforeModelCall: true,
  readsFiles: true,
  workingCopies: true,
  ownModels: false,
  inspectable: true,
  hasWorkspace: true,
  outlivesHost: false,
  runtimeClass: 'native',
  nativeHome: true,
  nativeSkills: true,
  nativeMemory: true,
  nativeChannels: false,
}

function nativeDescriptor(host: IntegrationHost): RuntimeDescriptor {
  return {
    // Only a host that can open folders can give a run a worktree.
    claims: { ...CLAIMS, worktrees: host.folderAt !== undefined },
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
          { value: 'deny', label: 'No commands', about: 'It can read and write files, but cannot run commands.' },
          {
            value: 'allowlist',
            label: 'Ask unless the command is on the list',
            about: 'Commands on its list run. Everything else waits for you.',
          },
          {
            value: 'full',
            label: 'Everything',
            about: 'Every command runs without asking.',
            warning:
              'It can then do whatever you can do on this machine: delete files, read secrets, reach the network. Text that it reads can trick it into doing that. Choose this only on a machine that you can afford to lose.',
          },
        ],
      },
    ],
  }
}
