import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HostMachine } from '../host.ts'
import { discoverGateways } from './discover-gateways.ts'
import { openGateway } from './gateway/test-connection.ts'
import { startTestGateway } from './stand-in/test-gateway.ts'

const USUAL = 'ws://127.0.0.1:18789'

async function machineWith(settings: Readonly<Record<string, string>>, environment: HostMachine['environment'] = {}) {
  const userHome = await mkdtemp(join(tmpdir(), 'clawboo-discover-'))
  onTestFinished(() => rm(userHome, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(settings)) {
    await mkdir(dirname(join(userHome, name)), { recursive: true })
    await writeFile(join(userHome, name), text)
  }
  return { machine: { userHome, environment, timeZone: 'UTC' } satisfies HostMachine, userHome }
}

/** Excludes a Gateway that happens to run on this machine. */
async function found(machine: HostMachine) {
  return (await discoverGateways(machine)).filter(({ foundIn }) => foundIn !== 'port 18789')
}

test('[OC21] a Gateway is found by its settings file, with comments, running or not', async () => {
  const { port, close } = await startTestGateway()
  onTestFinished(close)
  const text = `{ gateway: { port: ${port}, auth: { mode: 'token', token: 'kept-here' } }, } // mine`
  const { machine, userHome } = await machineWith({ '.openclaw/openclaw.json': text })
  const gateway = {
    address: `ws://127.0.0.1:${port}`,
    foundIn: join(userHome, '.openclaw/openclaw.json'),
    isRunning: true,
    secretKnown: true,
    secret: 'kept-here',
  }
  await expect.poll(() => found(machine)).toEqual([gateway])
  await close()
  expect(await found(machine)).toEqual([{ ...gateway, isRunning: false }])
})

test('[OC21] a settings file elsewhere is found by the Gateway’s environment variables', async () => {
  const settings = { 'state/openclaw.json': '{"gateway":{"port":19001}}', 'mine.json': '{"gateway":{"port":19002}}' }
  const { userHome } = await machineWith(settings)
  const at = async (environment: HostMachine['environment']) =>
    (await found({ userHome, environment, timeZone: 'UTC' })).map(({ address }) => address)
  const [stateFolder, settingsFile] = [join(userHome, 'state'), join(userHome, 'mine.json')]
  expect(await at({ OPENCLAW_STATE_DIR: stateFolder })).toEqual(['ws://127.0.0.1:19001'])
  expect(await at({ OPENCLAW_CONFIG_PATH: settingsFile })).toEqual(['ws://127.0.0.1:19002'])
  expect(await at({ OPENCLAW_CONFIG_PATH: settingsFile, OPENCLAW_STATE_DIR: stateFolder })).toEqual([
    'ws://127.0.0.1:19002',
    'ws://127.0.0.1:19001',
  ])
})

test('[OC22] a token is read from the settings, the variable they name, or the Gateway’s own variable', async () => {
  const secretOf = async (auth: string, environment: HostMachine['environment'] = {}) => {
    const { machine } = await machineWith({ '.openclaw/openclaw.json': `{"gateway":{"auth":${auth}}}` }, environment)
    const [gateway] = await found(machine)
    return [gateway!.secretKnown, gateway!.secret]
  }
  expect(await secretOf('{"token":"plain"}')).toEqual([true, 'plain'])
  const named = (variable: string) => `{"token":"$\{${variable}}"}`
  expect(await secretOf(named('MINE'), { MINE: 'from-a-variable' })).toEqual([true, 'from-a-variable'])
  expect(await secretOf(named('MINE'))).toEqual([false, null])
  expect(await secretOf('{}', { OPENCLAW_GATEWAY_TOKEN: 'of-the-gateway' })).toEqual([true, 'of-the-gateway'])
  expect(await secretOf('{"mode":"none"}')).toEqual([true, null])
  expect(await secretOf('{"token":{"source":"exec"}}')).toEqual([false, null])
  expect(await secretOf(named('constructor'))).toEqual([false, null])
})

test('[OC23] a Gateway without a configured port or settings is searched at the default port', async (context) => {
  const { machine } = await machineWith({ '.openclaw/openclaw.json': '{"gateway":{"mode":"local"}}' })
  expect((await discoverGateways(machine)).map(({ address }) => address)).toEqual([USUAL])
  const usual = await startTestGateway({ port: 18_789 }).catch(() => null)
  if (!usual) return context.skip()
  onTestFinished(() => usual.close())
  const { machine: without } = await machineWith({})
  expect(await discoverGateways(without)).toEqual([
    { address: USUAL, foundIn: 'port 18789', isRunning: true, secretKnown: false, secret: null },
  ])
})

test('[OC24] unreadable settings, and ports with another service, cause no error', async () => {
  for (const text of ['', '{', '[]', 'null', '{"gateway":7}', '{"gateway":{"port":"x","auth":[]}}']) {
    const { machine } = await machineWith({ '.openclaw/openclaw.json': text })
    expect((await found(machine)).map(({ address, secret }) => [address, secret])).toEqual([[USUAL, null]])
  }
  const { machine } = await machineWith({ '.openclaw/openclaw.json': '{"gateway":{"port":99999999}}' })
  expect((await found(machine)).map(({ isRunning }) => isRunning)).toEqual([false])
  const gateway = await openGateway()
  const { machine: folder } = await machineWith({ '.openclaw/openclaw.json/a-folder': '' })
  expect(await found(folder)).toEqual([])
  expect(gateway.tried).toEqual([])
})
