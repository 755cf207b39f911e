import { parseArgs } from 'node:util'
import { startScriptedModel } from './http-server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'api-key': { type: 'string' },
    'word-delay': { type: 'string', default: '0' },
  },
})
const model = await startScriptedModel({
  port: Number(values.port),
  apiKey: values['api-key'],
  wordDelayMs: Number(values['word-delay']),
})
console.log(`The scripted model listens on ${model.url}/v1`)
for (const stop of ['SIGINT', 'SIGTERM'] as const) process.once(stop, () => void model.close())
