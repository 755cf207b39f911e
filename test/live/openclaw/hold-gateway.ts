// Starts a Gateway and prints its address, for a test that kills this process.
import { startGateway } from './gateway-process.ts'

const gateway = await startGateway({ untilReady: false })
process.stdout.write(`${JSON.stringify({ pid: gateway.pid(), dir: gateway.dir })}\n`)
