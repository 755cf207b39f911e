import type { ModelProviders } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { createModelProviders } from './model-providers.ts'
import { createModels } from './models/models.ts'
import { createModelsSettings } from './models-settings.ts'
import { createNativeRuntime, type NativeRuntime } from './runtime.ts'

/** The runtime and its models. */
export interface WorkingParts {
  readonly runtime: NativeRuntime
  readonly modelProviders: ModelProviders
}

export function openWorkingParts(host: IntegrationHost): WorkingParts {
  const settings = createModelsSettings(host)
  const listeners = new Set<() => void>()
  const models = createModels({
    readSecret: host.secrets.read,
    settings: settings.read,
    now: host.now,
    cooldownsChanged() {
      for (const listener of listeners) listener()
    },
  })
  return {
    runtime: createNativeRuntime(host, models),
    modelProviders: {
      ...createModelProviders(host, models, settings),
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  }
}
