import { ClawbooError } from '@clawboo/core'
import type { UpstreamAgent } from '@clawboo/core/registry'
import { object, plain, text } from './gateway/gateway-frames.ts'

export interface UpstreamList {
  readonly agents: readonly UpstreamAgent[]
  readonly mainKey: string
}

/**
 * Reads the answer of `agents.list`. Throws `upstream_refused` when it is not a list, because that is not an empty
 * fleet.
 */
export function readUpstreamList(answer: unknown): UpstreamList {
  const { agents, defaultId, mainKey: told } = object(answer)
  if (!Array.isArray(agents)) throw new ClawbooError('upstream_refused', 'the OpenClaw Gateway gave no list of agents')
  const mainKey = text(told) || 'main'
  return { mainKey, agents: agents.flatMap((row) => readAgent(object(row), text(defaultId), mainKey)) }
}

function readAgent(row: Readonly<Record<string, unknown>>, defaultId: string, mainKey: string): UpstreamAgent[] {
  const sourceAgentId = text(row.id)
  if (sourceAgentId === '' || plain(sourceAgentId) !== sourceAgentId) return []
  const identity = object(row.identity)
  return [
    {
      sourceAgentId,
      name: plain(identity.name) || plain(row.name) || null,
      emoji: plain(identity.emoji) || null,
      avatarUrl: shownUrl(text(identity.avatarUrl)),
      sessionKey: `agent:${sourceAgentId}:${mainKey}`,
      isDefault: sourceAgentId === defaultId,
    },
  ]
}

/** A path in the Gateway's own folders is useless to a page. */
function shownUrl(url: string): string | null {
  return /^(?:https:\/\/|data:image\/)/.test(url) ? url : null
}
