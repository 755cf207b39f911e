import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptStep, type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { JsonObject } from '../gateway-config.ts'
import type { GatewayProcess } from '../gateway-process.ts'
import { type Frame, type RawClient, Refused } from '../raw-client.ts'

/** The environment of a scenario: its own connection to a Gateway that earlier scenarios used. */
export interface Stage {
  readonly gateway: GatewayProcess
  readonly client: RawClient
  /** A session that no other scenario uses. */
  readonly key: string
  /** Calls a method; a refusal is part of the recording and resolves to null. */
  attempt(method: string, params?: JsonObject): Promise<JsonObject | null>
  /** Sends a prompt and resolves to its run. */
  send(script: readonly ScriptTurn[] | string, more?: JsonObject): Promise<string>
  /** Resolves to the frame that ends a run. */
  ended(runId: string): Promise<Frame>
  /** Resolves to the first event of one of a run's streams. */
  streamed(runId: string, stream: string, phase?: string): Promise<Frame>
  /** Waits until only ticks have arrived for a while. */
  quiet(): Promise<void>
  /** Waits until the model has been called this often since the start of the scenario. */
  called(times: number): Promise<void>
  /** A tool call that runs until `release`. */
  readonly hold: ScriptStep
  release(): Promise<void>
  history(): Promise<void>
}

export type Scenario = (stage: Stage) => Promise<void>

const QUIET_MS = 5000

export function openStage(gateway: GatewayProcess, client: RawClient, name: string): Stage {
  const key = `agent:main:${name}`
  const released = join(gateway.dir, `released-${randomUUID()}`)
  const callsBefore = gateway.model.requests.length
  const payloadOf = ({ payload }: Frame) => (payload ?? {}) as JsonObject
  const attempt: Stage['attempt'] = async (method, params) => {
    try {
      return await client.request(method, params)
    } catch (error) {
      if (error instanceof Refused) return null
      throw error
    }
  }
  const ended: Stage['ended'] = (runId) =>
    client.until((frame) => {
      const { runId: id, state, data } = payloadOf(frame)
      if (id !== runId) return false
      // Older releases send nothing else for a failed run.
      if (frame.event === 'agent') return (data as JsonObject).fallbackStepFinalOutcome === 'chain_exhausted'
      return frame.event === 'chat' && ['final', 'error', 'aborted'].includes(String(state))
    })
  const streamed: Stage['streamed'] = (runId, stream, phase) =>
    client.until((frame) => {
      const { runId: id, stream: found, data } = payloadOf(frame)
      if (frame.event !== 'agent' || id !== runId || found !== stream) return false
      return phase === undefined || (data as JsonObject).phase === phase
    })
  return {
    gateway,
    client,
    key,
    attempt,
    async send(script, more = {}) {
      const runId = `${name}-${randomUUID().slice(0, 8)}`
      const message = typeof script === 'string' ? script : scriptPrompt(script, 'Play this.')
      await attempt('chat.send', { sessionKey: key, message, idempotencyKey: runId, ...more })
      return runId
    },
    ended,
    // An ended run will not stream again.
    streamed: (runId, stream, phase) => Promise.race([streamed(runId, stream, phase), ended(runId).then(tooEarly)]),
    async quiet() {
      for (let seen = -1; seen !== countOf(client); await pause(QUIET_MS)) seen = countOf(client)
    },
    async called(times) {
      const calls = () => gateway.model.requests.length - callsBefore
      for (let waited = 0; calls() < times; waited += 100) {
        if (waited > 240_000) throw new Error(`the model was called ${calls()} times, not ${times}`)
        await pause(100)
      }
    },
    hold: {
      callTool: 'exec',
      // Without `yieldMs` the command moves to the background after ten seconds, and the run continues.
      with: { command: `while [ ! -e '${released}' ]; do sleep 0.1; done; echo released`, yieldMs: 120_000 },
    },
    release: () => writeFile(released, ''),
    async history() {
      await attempt('chat.history', { sessionKey: key, limit: 50 })
    },
  }
}

function tooEarly(): never {
  throw new Error('the run ended before that')
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function countOf({ frames }: RawClient): number {
  return frames.filter(({ frame }) => !['tick', 'health'].includes(String(frame.event))).length
}
