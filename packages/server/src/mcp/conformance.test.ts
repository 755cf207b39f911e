import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const SUITE = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

const ALWAYS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
const TOOL_CALLS = [
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
]
const NO_STREAM = 'every response is one JSON document, so nothing can be sent before it'
const NO_RESOURCES = 'the servers have no resources'
const NO_PROMPTS = 'the servers have no prompts'

/** Scenarios that do not apply to a stateless server with tools only, and why. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'logging-set-level': 'the servers have no logging',
  'completion-complete': 'there is nothing to complete without prompts and resources',
  'tools-call-with-logging': NO_STREAM,
  'tools-call-with-progress': NO_STREAM,
  'tools-call-sampling': NO_STREAM,
  'tools-call-elicitation': NO_STREAM,
  'elicitation-sep1034-defaults': NO_STREAM,
  'elicitation-sep1330-enums': NO_STREAM,
  'server-sse-polling': NO_STREAM,
  'server-sse-multiple-streams': NO_STREAM,
  'json-schema-2020-12': 'needs a tool of the suite; ours come from zod schemas without $defs',
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawboo-conformance-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Resolves to the checks of each scenario. The suite fails when a scenario that should fail passes. */
async function runSuite(name: string, expectedFailures: readonly string[]) {
  const { secret } = await server().startRun('ada', 'writers')
  const baseline = join(folder, `${name}.yml`)
  const out = join(folder, name)
  await writeFile(baseline, `server:\n${expectedFailures.map((scenario) => `  - ${scenario}\n`).join('')}`)
  const url = `${server().url}/api/mcp/${name}?grant=${secret}`
  const words = ['server', '--url', url, '--suite', 'all', '--expected-failures', baseline, '-o', out]
  const child = spawn(process.execPath, [SUITE, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env: { HOME: folder } })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [code, printed] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  return { code, printed, checks: await readChecks(out) }
}

async function readChecks(out: string): Promise<Map<string, string[]>> {
  const checks = new Map<string, string[]>()
  for (const entry of await readdir(out)) {
    const scenario = [...ALWAYS, ...TOOL_CALLS].find((known) => entry.includes(known))
    if (!scenario) continue
    const list = JSON.parse(await readFile(join(out, entry, 'checks.json'), 'utf8')) as { status: string }[]
    checks.set(
      scenario,
      list.map(({ status }) => status).filter((status) => status !== 'INFO'),
    )
  }
  return checks
}

it('[MC18] each server passes the scenarios for a server with tools and fails those that do not apply', async () => {
  for (const name of server().servers.names.filter((candidate) => candidate !== 'fixture')) {
    const { code, printed, checks } = await runSuite(name, [...Object.keys(NOT_APPLICABLE), ...TOOL_CALLS])
    expect({ name, code, printed }).toMatchObject({ name, code: 0 })
    for (const scenario of ALWAYS) {
      expect({ scenario, statuses: new Set(checks.get(scenario)) }).toEqual({
        scenario,
        statuses: new Set(['SUCCESS']),
      })
    }
  }
})

it('[MC18] a fixture behind the same mount passes the scenarios that call tools', async () => {
  const { code, printed, checks } = await runSuite('fixture', Object.keys(NOT_APPLICABLE))
  expect({ code, printed }).toMatchObject({ code: 0 })
  for (const scenario of [...ALWAYS, ...TOOL_CALLS]) {
    expect({ scenario, statuses: new Set(checks.get(scenario)) }).toEqual({ scenario, statuses: new Set(['SUCCESS']) })
  }
})
