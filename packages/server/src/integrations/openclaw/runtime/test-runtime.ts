import type { Prompt, RunGuard, RunHandle, RuntimeEvent } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { onTestFinished } from 'vitest'
import { NO_FILES } from '../../../executor/run/test-run-inputs.ts'
import { openGateway } from '../gateway/test-connection.ts'
import type { TestGateway, TestGatewayOptions } from '../stand-in/test-gateway.ts'
import { connectTestIntegration, type TestIntegration } from '../stand-in/test-integration.ts'

/** One run and its events so far. */
export interface StartedRun {
  readonly handle: RunHandle
  readonly events: readonly RuntimeEvent[]
  /** Resolves to every event after the last one. */
  readonly ended: Promise<readonly RuntimeEvent[]>
}

export interface TestRuntime extends TestIntegration {
  readonly gateway: TestGateway
  readonly agent: AgentRecord
  start(
    text: string,
    more?: { readonly model?: string; readonly room?: string; readonly promptId?: string },
  ): Promise<StartedRun>
}

const GUARD: RunGuard = { mayCallModel: async () => null }

/** The runtime on a stand-in that plays the recording or script in each prompt. */
export async function openTestRuntime(options: TestGatewayOptions = {}): Promise<TestRuntime> {
  const gateway = await openGateway(options)
  const opened = await connectTestIntegration(gateway)
  onTestFinished(() => opened.dispose())
  await opened.agentSource.sync()
  const [agent] = await opened.agentSource.listAgents()
  let runs = 0
  return {
    ...opened,
    gateway,
    agent: agent!,
    async start(text, { model, room = 'room', promptId } = {}) {
      runs += 1
      const prompt: Prompt = { id: promptId ?? `prompt-${runs}`, text }
      const task = { agent: agent!, files: NO_FILES, sessionKey: `agent:${agent!.id}:${room}`, prompt }
      const startOptions = {
        runId: `run-${runs}`,
        guard: GUARD,
        resume: null,
        home: null,
        folder: null,
        ...(model ? { model } : {}),
      }
      const handle = await opened.runtime.start(task, startOptions)
      const events: RuntimeEvent[] = []
      const stream = opened.runtime.events(handle)
      const ended = (async () => {
        for await (const event of stream) events.push(event)
        return events
      })()
      return { handle, events, ended }
    },
  }
}
