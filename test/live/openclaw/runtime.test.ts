import { describeRuntimeAdapterContract } from '@clawboo/core/contract'
import { afterAll, beforeAll } from 'vitest'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { openRuntimeFixture } from './runtime-fixture.ts'

let gateway: GatewayProcess
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.stop())

describeRuntimeAdapterContract('a real OpenClaw Gateway', () => openRuntimeFixture(gateway))
