import type { ScriptedRequest } from '@clawboo/scripted-model'
import type { TestFleet } from './test-gateway-agents.ts'
import type { Json } from './test-recordings.ts'
import type { ScriptedContext } from './test-scripted-run.ts'
import { ScriptedSession } from './test-scripted-session.ts'
import { ScriptedTools } from './test-scripted-tools.ts'

/** The part of a session that scripted runs read and write. */
export interface ScriptedSessionState {
  readonly sessionId: string
  readonly model: string | null
  readonly permissionMode: string | null
  readonly rows: Json[]
  /** The runs of a session whose prompts contain scripts for the model. */
  scripted: ScriptedSession | null
}

/** The sessions of the stand-in whose prompts contain scripts for the model. */
export interface ScriptedSessions {
  readonly tools: ScriptedTools
  /** Every request to the model, of all runs. */
  readonly requests: readonly ScriptedRequest[]
  /** Returns null when neither this prompt nor an earlier one of the session contains a script. */
  find(key: string, message: string): ScriptedSession | null
  /** Ends every run without a frame, as if the process had died. */
  die(): void
}

export function createScriptedSessions(
  byKey: ReadonlyMap<string, ScriptedSessionState>,
  fleet: TestFleet,
  broadcast: (event: string, payload: Json) => void,
  over: (runId: string) => void,
): ScriptedSessions {
  const tools = new ScriptedTools()
  const requests: ScriptedRequest[] = []
  const contextOf = (key: string): ScriptedContext => {
    const { sessionId, model, permissionMode, rows } = byKey.get(key)!
    const agent = fleet.agents.get(key.split(':')[1]!)
    return {
      sessionKey: key,
      sessionId,
      model: model?.split('/')[1] ?? 'boo',
      isGuarded: permissionMode === 'guarded',
      system: [...(agent?.files.values() ?? [])].join('\n'),
      rows,
      tools,
      requests,
      broadcast,
    }
  }
  return {
    tools,
    requests,
    find(key, message) {
      const session = byKey.get(key)
      if (session && message.includes('```script')) session.scripted ??= new ScriptedSession(() => contextOf(key), over)
      return session?.scripted ?? null
    },
    die() {
      for (const { scripted } of byKey.values()) scripted?.die()
    },
  }
}
