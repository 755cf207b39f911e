// The scripted model in a separate process. Sends its address when it is ready, and the newest request on demand.
import { startScriptedModel } from '@clawboo/scripted-model/http'

const model = await startScriptedModel({ keepRequests: 1 })
process.on('message', () => process.send!(model.requests.at(-1)?.body ?? null))
process.on('disconnect', () => process.exit())
process.send!(model.url)
