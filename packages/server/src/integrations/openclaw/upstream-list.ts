import type { UpstreamAgent } from '@clawboo/core/registry'
import { list, object, text } from './gateway/gateway-frames.ts'

export interface UpstreamList {
  readonly agents: readonly UpstreamAgent[]
  readonly mainKey: string
}

/** The answer of `agents.list`, as the registry takes it. */
export function readUpstreamList(answer: unknown): UpstreamList {
  const { agents, defaultId, mainKey: told } = object(answer)
  const mainKey = text(told) || 'main'
  return { mainKey, agents: list(agents).flatMap((row) => readAgent(object(row), text(defaultId), mainKey)) }
}

function readAgent(row: Readonly<Record<string, unknown>>, defaultId: string, mainKey: string): UpstreamAgent[] {
  const sourceAgentId = text(row.id)
  if (sourceAgentId === '') return []
  const identity = object(row.identity)
  return [
    {
      sourceAgentId,
      name: text(identity.name) || text(row.name) || null,
      emoji: text(identity.emoji) || null,
      avatarUrl: shownUrl(text(identity.avatarUrl)),
      sessionKey: `agent:${sourceAgentId}:${mainKey}`,
      isDefault: sourceAgentId === defaultId,
    },
  ]
}

/** A path in the Gateway's own folders means nothing to a page. */
function shownUrl(url: string): string | null {
  return /^(?:https:\/\/|data:image\/)/.test(url) ? url : null
}
