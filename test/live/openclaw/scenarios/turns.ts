import { pause, type Scenario } from './stage.ts'

/** Single prompts. */
export const turnScenarios: Readonly<Record<string, Scenario>> = {
  async 'turn-plain'({ send, ended, quiet, history }) {
    await ended(await send([[{ drip: { text: 'one two three', everyMs: 300 } }]]))
    await quiet()
    await history()
  },

  async 'turn-subscribed'({ attempt, key, send, ended, quiet, history }) {
    await attempt('sessions.create', { key, agentId: 'main' })
    await attempt('sessions.messages.subscribe', { key })
    const usage = { usage: { input: 1000, output: 100, cacheRead: 200 } }
    await ended(
      await send([
        [{ say: 'Before. ' }, { callTool: 'exec', with: { command: 'echo tool-ran' } }, usage],
        [{ say: 'After.' }, usage],
      ]),
    )
    await quiet()
    await history()
  },

  async 'turn-tool'({ send, ended, quiet, history }) {
    await ended(
      await send([
        [
          { think: 'Thinking first.' },
          { say: 'I will look.' },
          { callTool: 'exec', with: { command: 'echo tool-ran' } },
        ],
        [{ say: 'I will write.' }, { callTool: 'write', with: { path: 'note.txt', content: 'a note' } }],
        [{ callTool: 'read', with: { path: 'missing.txt' } }],
        [{ say: 'Done now.' }],
      ]),
    )
    await quiet()
    await history()
  },

  async 'turn-two-tools'({ send, ended, quiet, history }) {
    const echo = (word: string) => ({ callTool: 'exec', with: { command: `echo ${word}` } })
    await ended(await send([[echo('first'), echo('second')], [{ callTool: 'no_such_tool' }], [{ say: 'Done.' }]]))
    await quiet()
    await history()
  },

  async 'turn-error-400'({ send, ended, quiet, history }) {
    await ended(await send([[{ fail: { status: 400, message: 'The request is wrong.' } }]]))
    await quiet()
    await history()
  },

  async 'turn-error-401'({ send, ended, quiet, history }) {
    await ended(
      await send([
        [{ say: 'Some words. ' }, { callTool: 'exec', with: { command: 'echo ran' } }],
        [{ fail: { status: 401, message: 'The key is wrong.' } }],
      ]),
    )
    await quiet()
    await history()
  },

  async 'turn-repeated-key'({ attempt, key, send, hold, streamed, release, ended, quiet }) {
    const prompt = [[hold], [{ say: 'Done.' }]]
    const runId = await send(prompt)
    await streamed(runId, 'tool', 'start')
    await send(prompt, { idempotencyKey: runId })
    await send('Other words', { idempotencyKey: runId })
    await release()
    await ended(runId)
    await quiet()
    await send(prompt, { idempotencyKey: runId })
    await attempt('agent.wait', { runId, timeoutMs: 1000 })
    await attempt('chat.send', { sessionKey: 'agent:nobody:main', message: 'x', idempotencyKey: `${key}-nobody` })
    await quiet()
  },

  async 'abort-silent'({ attempt, key, send, called, ended, quiet, history }) {
    const runId = await send([[{ say: 'Half a ' }, { stall: true }]])
    await called(1)
    await pause(3000)
    await attempt('chat.abort', { sessionKey: key, runId })
    await ended(runId)
    await quiet()
    await history()
    await attempt('chat.abort', { sessionKey: key, runId })
  },

  async 'abort-in-tool'({ attempt, key, send, hold, streamed, ended, quiet, history, release }) {
    const runId = await send([[{ say: 'I will hold.' }, hold], [{ say: 'Never said.' }]])
    await streamed(runId, 'tool', 'start')
    await pause(2000)
    await attempt('sessions.abort', { key, runId })
    await ended(runId)
    await quiet()
    await history()
    await release()
  },

  async 'set-model-in-tool'({ attempt, key, send, hold, streamed, ended, quiet, history, release }) {
    await attempt('sessions.create', { key, agentId: 'main' })
    await attempt('sessions.messages.subscribe', { key })
    const runId = await send([
      [hold],
      [{ echo: 'model' }, { callTool: 'exec', with: { command: 'true' } }],
      [{ echo: 'model' }],
    ])
    await streamed(runId, 'tool', 'start')
    await attempt('sessions.patch', { key, model: 'scripted/other' })
    await release()
    await ended(runId)
    await quiet()
    await ended(await send([[{ echo: 'model' }]]))
    await quiet()
    await history()
  },

  async subagent({ attempt, key, send, ended, quiet, history }) {
    await attempt('sessions.create', { key, agentId: 'main' })
    const task = 'Say one word.'
    await ended(
      await send([
        [{ callTool: 'sessions_spawn', with: { task, label: 'child' } }],
        [{ say: 'It works for me.' }],
        [{ say: 'It is done.' }],
      ]),
    )
    await quiet()
    await quiet()
    await attempt('sessions.list', { agentId: 'main', limit: 3 })
    await history()
  },
}
