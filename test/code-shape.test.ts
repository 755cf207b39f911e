import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Tests, and files that only tests load. */
const isTest = (file: string) =>
  /\.test\.tsx?$|\/contract\/|\/test-[\w-]+\.ts$|\/stand-in\/|\/embedded-server|\/store-contract/.test(file)
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !isTest(`/${file}`))

const MAX_FUNCTION_LINES = 60
const MAX_FOLDER_FILES = 25

/**
 * The longer functions, with their current number of lines. The list may only shrink: an unnecessary entry or a
 * function that has grown fails the test.
 */
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  'packages/server/src/executor/conversations/agent-lanes.ts: createAgentLanes': 73,
  'packages/server/src/executor/dispatch/dispatcher.ts: createAttempts': 62,
  'packages/server/src/main.ts: main': 77,
  'packages/server/src/store/migrations/0008-create-team-chat.ts: up': 71,
  'packages/server/src/tools/tool-broker.ts: createToolBroker': 61,
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** The name and the number of lines of every function in a file. A nested function also counts for the functions around it. */
async function functionLengths(file: string): Promise<{ name: string; lines: number }[]> {
  const { parseAst } = await import('vite')
  const text = readFileSync(join(root, file), 'utf8')
  const found: { name: string; lines: number }[] = []
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index)
  const linesOf = ({ start, end }: Node) => breaks.filter((at) => at >= start && at < end).length + 1
  const walk = (value: unknown, name: string) => {
    if (Array.isArray(value)) for (const item of value) walk(item, name)
    if (!isNode(value)) return
    const here = nameOf(value) ?? name
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(value.type))
      found.push({ name: here, lines: linesOf(value) })
    for (const [key, child] of Object.entries(value)) if (key !== 'type') walk(child, here)
  }
  walk(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body, '')
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function nameOf(node: Node): string | null {
  const named = (node.id ?? node.key) as { readonly name?: string } | null | undefined
  return typeof named?.name === 'string' ? named.name : null
}

test('[AR16] no function is longer than 60 lines, except those in a list that may only shrink', async () => {
  const long: Record<string, number> = {}
  for (const file of sources)
    for (const { name, lines } of await functionLengths(file))
      if (lines > MAX_FUNCTION_LINES) {
        const key = `${file}: ${name}`
        long[key] = Math.max(long[key] ?? 0, lines)
      }
  expect(long).toEqual(LONG_FUNCTIONS)
  expect(Object.keys(LONG_FUNCTIONS).length).toBeLessThanOrEqual(15)
})

test('[AR16] the measurement finds functions of every kind', async () => {
  const lengths = await functionLengths('test/code-shape.test.ts')
  expect(lengths.find(({ name }) => name === 'functionLengths')?.lines).toBeGreaterThan(10)
  expect(lengths.find(({ name }) => name === 'walk')?.lines).toBeGreaterThan(5)
})

test('[AR17] no folder has more than 25 source files', () => {
  const counts = new Map<string, number>()
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > MAX_FOLDER_FILES)).toEqual([])
})
