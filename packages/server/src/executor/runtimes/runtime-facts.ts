import type { OperationOutput } from '@clawboo/api/client'
import type { LazyRuntime } from '@clawboo/core/executor'

type RuntimeInfo = OperationOutput<'listRuntimes'>['runtimes'][number]

/** Returns the facts that a page or a command may know about a runtime, without loading it. */
export function runtimeInfo({ descriptor, plan, missingClaims }: LazyRuntime): RuntimeInfo {
  const { id, label, description, participantKind, claims, connecting, choices } = descriptor
  return {
    id,
    label,
    description,
    participantKind,
    ...(connecting && { connecting }),
    ...(choices && { choices }),
    ownModels: claims.ownModels,
    inspectable: claims.inspectable,
    hasWorkspace: claims.hasWorkspace,
    keepsItsOwn: plan.home === 'connected',
    home: plan.home,
    keepsSkills: plan.keepsSkills,
    keepsMemory: plan.keepsMemory,
    delivery: plan.delivery,
    missingClaims: [...missingClaims],
  }
}
