import { afterAll, beforeAll } from 'vitest'
import { type PageFixture, startPage } from '../../../../../../test/e2e/page-fixture.ts'
import { OPENCLAW_ID } from '../descriptor.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts'

/** A browser and a server that is connected to a stand-in, for one test file. */
export function useConnectedPage(options: TestGatewayOptions = {}): {
  readonly gateway: () => TestGateway
  readonly fixture: () => PageFixture
} {
  let gateway: TestGateway
  let fixture: PageFixture
  beforeAll(async () => {
    gateway = await startTestGateway(options)
    fixture = await startPage()
    const body = { address: gateway.url, secret: gateway.token }
    await fixture.server.client.connectSource({ params: { sourceId: OPENCLAW_ID }, body })
  })
  afterAll(async () => {
    await fixture?.close()
    await gateway?.close()
  })
  return { gateway: () => gateway, fixture: () => fixture }
}
