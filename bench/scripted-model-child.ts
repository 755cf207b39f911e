// The scripted model in a process of its own. Says its address when it is ready and, when asked, the newest request.
import { startScriptedModel } from '@clawboo/scripted-model/http'

const model = await startScriptedModel({ keepRequests: 1 })
process.on('message', () => process.send!(model.requests.at(-1)?.body ?? null))
process.on('disconnect', () => process.exit())
process.send!(model.url)
