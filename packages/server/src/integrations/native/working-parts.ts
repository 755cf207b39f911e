import type { ModelProviders } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { createModelProviders } from './model-providers.ts'
import { createModels } from './models/models.ts'
import { createModelsSettings } from './models-settings.ts'
import { createNativeRuntime, type NativeRuntime } from './runtime.ts'

/** What does the work: the loop with its tools, and the models. */
export interface WorkingParts {
  readonly runtime: NativeRuntime
  readonly modelProviders: Omit<ModelProviders, 'onChange' | 'demoModel'>
}

/** `providersChanged` is called when a provider begins or ends a rest. */
export function openWorkingParts(host: IntegrationHost, providersChanged: () => void): WorkingParts {
  const settings = createModelsSettings(host)
  const models = createModels({
    readSecret: host.secrets.read,
    settings: settings.read,
    now: host.now,
    cooldownsChanged: providersChanged,
  })
  return {
    runtime: createNativeRuntime(host, models),
    modelProviders: createModelProviders(host, models, settings),
  }
}
