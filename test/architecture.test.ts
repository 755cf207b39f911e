import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AGENT_FILE_NAMES } from '@clawboo/core/registry'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Tests, and files that only tests load. */
const isTest = (file: string) =>
  /\.test\.tsx?$|\/contract\/|\/test-[\w-]+\.ts$|\/embedded-server|\/store-contract/.test(file)
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !isTest(`/${file}`))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/**
 * The allowed imports of a file, most specific place first. `self` is the place itself. A file without a place fails
 * the test, so a new folder needs an entry here. ARCHITECTURE.md shows the same table.
 */
const MAY_IMPORT: readonly (readonly [place: string, ...allowed: string[]])[] = [
  ['core/src/registry', 'self', 'core/src/clawboo-error.ts'],
  ['core/src/executor', 'self', 'core/src/registry', 'core/src/clawboo-error.ts'],
  ['core/src/board', 'self', 'core/src/registry', 'core/src/clawboo-error.ts'],
  ['core/src/tool-gate', 'self'],
  ['core/src/team-chat', 'self', 'core/src/registry', 'core/src/clawboo-error.ts'],
  ['core/src', 'self'],
  ['api/src', 'self', 'core', 'zod'],
  ['scripted-model/src', 'self'],
  ['server/src/integrations/index.ts', 'server/src/integrations'],
  [
    'server/src/integrations/host.ts',
    'core',
    'server/src/processes/process.ts',
    'server/src/processes/confinement/confinement.ts',
  ],
  ['server/src/integrations/host-config.ts', 'core', 'zod'],
  [
    'server/src/integrations/*',
    'self',
    'core',
    'zod',
    'yaml',
    'json-schema',
    '@ai-sdk',
    'own packages',
    'scripted-model',
    'server/src/integrations/host.ts',
    'server/src/integrations/host-config.ts',
    'server/src/integrations/spawned',
  ],
  ['server/src/processes', 'self', 'core'],
  ['server/src/store', 'self', 'core', 'postgres'],
  ['server/src/live', 'self', 'core', 'api', 'server/src/store'],
  ['server/src/access', 'self', 'core', 'server/src/store', 'server/src/write-whole-file.ts'],
  [
    'server/src/registry',
    'self',
    'core',
    'api',
    'server/src/store',
    'server/src/live',
    'server/src/access',
    'server/src/log.ts',
  ],
  [
    'server/src/board',
    'self',
    'core',
    'api',
    'server/src/store',
    'server/src/live',
    'server/src/access',
    'server/src/registry',
    'server/src/log.ts',
  ],
  [
    'server/src/team-chat',
    'self',
    'core',
    'api',
    'server/src/store',
    'server/src/registry',
    'server/src/board',
    'server/src/executor',
    'server/src/log.ts',
  ],
  [
    'server/src/executor/dispatch',
    'self',
    'core',
    'server/src/executor',
    'server/src/board',
    'server/src/registry',
    'server/src/store',
    'server/src/log.ts',
  ],
  [
    'server/src/executor',
    'self',
    'core',
    'api',
    'server/src/store',
    'server/src/live',
    'server/src/access',
    'server/src/registry',
    'server/src/board',
    'server/src/processes',
    'server/src/log.ts',
  ],
  ['server/src/memory', 'self', 'core', 'server/src/store'],
  [
    'server/src/tools',
    'self',
    'core',
    '@modelcontextprotocol/client',
    'server/src/store',
    'server/src/access',
    'server/src/version.ts',
  ],
  [
    'server/src/mcp',
    'self',
    'core',
    'zod',
    '@modelcontextprotocol/server',
    'server/src/board',
    'server/src/team-chat',
    'server/src/memory',
    'server/src/tools',
    'server/src/access',
    'server/src/log.ts',
    'server/src/version.ts',
  ],
  [
    'server/src/http',
    'self',
    'core',
    'api',
    'server/src/mcp',
    'hono',
    '@hono/node-server',
    'zod',
    'server/src/registry',
    'server/src/board',
    'server/src/executor',
    'server/src/team-chat',
    'server/src/tools',
    'server/src/live',
    'server/src/access',
    'server/src/log.ts',
  ],
  [
    'server/src/backup',
    'self',
    'core',
    'zod',
    'server/src/store',
    'server/src/home.ts',
    'server/src/version.ts',
    'server/src/access',
  ],
  [
    'server/src/cli',
    'self',
    'core',
    'api',
    'server/src/backup',
    'server/src/store',
    'server/src/access',
    'server/src/config.ts',
    'server/src/home.ts',
    'server/src/version.ts',
    'server/src/installation.ts',
  ],
  ['server/src/main.ts', 'core', 'api', 'server/src'],
  [
    'server/src/open-integrations.ts',
    'core',
    'server/src/access',
    'server/src/integrations',
    'server/src/processes',
    'server/src/registry',
    'server/src/executor/runtimes',
    'server/src/store',
  ],
  ['server/src/lock-home.ts', 'core', 'server/src/home.ts', 'server/src/store'],
  ['server/src/process-life.ts', 'server/src/installation.ts', 'server/src/version.ts'],
  ['server/src/config.ts', 'core'],
  ['server/src/home.ts', 'core', 'server/src/write-whole-file.ts'],
  ['server/src/write-whole-file.ts', 'self'],
  ['server/src/installation.ts', 'self'],
  ['server/src/log.ts', 'server/src/config.ts'],
  ['server/src/version.ts', 'self'],
  [
    'web/src/features/*',
    'self',
    'web/src/api',
    'web/src/live',
    'web/src/shared',
    'web/src/ui',
    'core',
    'api',
    ...webLibraries(),
  ],
  ['web/src/api', 'self', 'core', 'api', 'web/src/live', 'web/src/ui', ...webLibraries()],
  ['web/src/live', 'self', 'core', 'api', 'web/src/api', 'web/src/ui', ...webLibraries()],
  ['web/src/shared', 'self', 'core', 'api', 'web/src/api', 'web/src/live', 'web/src/ui', ...webLibraries()],
  ['web/src/ui', 'self', ...webLibraries()],
  [
    'web/src/app',
    'self',
    'web/src/api',
    'web/src/live',
    'web/src/shared',
    'web/src/ui',
    'web/src/features',
    'core',
    'api',
    ...webLibraries(),
  ],
  ['web/src/main.tsx', 'web/src', ...webLibraries()],
]

function webLibraries(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/web/package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  return Object.keys(manifest.devDependencies)
}

/** The place of a path, which is a folder or a file: `integrations/*` matches one folder below it. */
function placeOf(path: string): readonly [string, readonly string[]] | null {
  for (const [pattern, ...allowed] of MAY_IMPORT) {
    const match = new RegExp(`^${pattern.replace(/\./g, '\\.').replace('*', '[^/]+')}(?=/|$)`).exec(path)
    if (match) return [match[0], allowed]
  }
  return null
}

/** Every module that a file names, resolved to a path below packages/ or to the name of a package. `node:` stays unchanged. */
function importsOf(file: string): string[] {
  const text = read(file)
  const specifiers = [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?from\s+['"]([^'"]+)['"]/g),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
    ...text.matchAll(/(?:^|\n)import\s+['"]([^'"]+)['"]/g),
  ].map((match) => match[1]!)
  return specifiers.map((specifier) => {
    if (specifier.startsWith('.')) return join(file, '..', specifier).replace(/^packages\//, '')
    const own = /^@clawboo\/([\w-]+)/.exec(specifier)
    return own ? own[1]! : specifier
  })
}

/** The part of the scripted model that is a separate program. */
const SCRIPTED_SERVER = /^scripted-model\/src\/(?:http-server\.ts|serve\.ts|wire\/)/

const isAllowed = (target: string, place: string, allowed: readonly string[]) =>
  allowed.some((name) => {
    // The packages of the outside system itself have its name.
    const base = name === 'self' ? place : name === 'own packages' ? `@${basename(place)}` : name
    return target === base || target.startsWith(`${base}/`)
  })

test('[AR1] imports follow the directions of the table, and every folder has a row', () => {
  const wrong: string[] = []
  for (const file of sources) {
    const path = file.replace(/^packages\//, '')
    const placed = placeOf(path)
    if (!placed) {
      wrong.push(`${file} has no row in the table`)
      continue
    }
    const [place, allowed] = placed
    const mayUseNode = path.startsWith('server/') || SCRIPTED_SERVER.test(path)
    for (const target of importsOf(file)) {
      const ok = target.startsWith('node:') ? mayUseNode : isAllowed(target, place, allowed)
      if (!ok) wrong.push(`${file} imports ${target}`)
    }
  }
  expect(wrong).toEqual([])
})

test('[AR1] the test finds imports', () => {
  expect(importsOf('packages/server/src/http/listen.ts')).toEqual(
    expect.arrayContaining(['node:http', 'core', '@hono/node-server', 'server/src/access/request-guard.ts']),
  )
  expect(importsOf('packages/server/src/main.ts').length).toBeGreaterThan(20)
})

test('[AR1] ARCHITECTURE.md shows every row of the table', () => {
  const shown = read('ARCHITECTURE.md')
  expect(MAY_IMPORT.map(([place]) => place).filter((place) => !shown.includes(`\`${place}\``))).toEqual([])
})

test('[AR13] no file imports itself through other files', () => {
  const imports = new Map(sources.map((file) => [file.replace(/^packages\//, ''), importsOf(file)]))
  expect(importCycles(imports)).toEqual([])
})

test('[AR13] the test finds a cycle of three files', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['e']],
    ['e', []],
  ])
  expect(importCycles(imports)).toEqual([['a', 'b', 'c']])
})

/** Groups of files that import one another, types included. Each group and the list are sorted. */
function importCycles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const reachable = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]))
  const groups = new Map<string, readonly string[]>()
  for (const [file, others] of reachable) {
    if (!others.has(file)) continue
    const group = [...others].filter((other) => reachable.get(other)?.has(file)).sort()
    groups.set(group[0]!, group)
  }
  return [...groups.values()].sort(([one], [other]) => (one! < other! ? -1 : 1))
}

function reachableFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...(imports.get(file) ?? [])]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    open.push(...(imports.get(next) ?? []))
  }
  return found
}

/** The modules that load with a file: its value imports, and theirs. External packages stay names. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, names, specifier] of read(file).matchAll(
    /(?:^|\n)(?:import|export)\s+(?!type\b)([^'";]*?)\bfrom\s+['"]([^'"]+)['"]/g,
  )) {
    const listed = /^\{([^}]*)\}$/
      .exec(names!.trim())?.[1]
      ?.split(',')
      .map((name) => name.trim())
    if (listed?.every((name) => name === '' || name.startsWith('type '))) continue
    const target = targetOf(file, specifier!)
    if (target.startsWith('packages/')) loadedWith(target, seen)
    else seen.add(target)
  }
  return seen
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(file, '..', specifier)
  const own = /^@clawboo\/([\w-]+)(\/.+)?$/.exec(specifier)
  if (!own) return specifier
  const { exports } = JSON.parse(read(`packages/${own[1]}/package.json`)) as { exports: Record<string, string> }
  return join(`packages/${own[1]}`, exports[`.${own[2] ?? ''}`]!)
}

test('[AR11] a server answers before it loads schemas, protocol packages or the code that runs an agent', () => {
  const loaded = [...loadedWith('packages/server/src/main.ts')]
  expect(loaded).toEqual(expect.arrayContaining(['packages/server/src/http/app.ts', 'hono']))
  const heavy =
    /^(?:zod|yaml|@ai-sdk\/|@modelcontextprotocol\/|packages\/scripted-model\/)|\/integrations\/\w+\/(?:loop|tools|session)\//
  expect(loaded.filter((file) => heavy.test(file))).toEqual([])
})

test('[AR1] nothing imports the composition root, and production code never loads a contract suite', () => {
  const wrong = sources.filter(
    (file) =>
      importsOf(file).some((target) => target === 'server/src/main.ts' || /@clawboo\/core\/contract/.test(target)) ||
      /@clawboo\/core\/contract/.test(read(file)),
  )
  expect(wrong).toEqual([])
})

test('[AR2] an integration’s name occurs only in its folder, in the one list and in the hints for RuntimeId', () => {
  const hints = [...read('packages/core/src/registry/runtime-id.ts').matchAll(/'([\w-]+)'/g)].map((match) => match[1]!)
  expect(hints.length).toBeGreaterThan(3)
  // The word is also a kind of participant, which all code may name.
  const names = hints.filter((name) => name !== 'human')
  const everything = globSync(
    ['packages/**/*.{ts,tsx,css,html,json,mjs}', 'scripts/**/*', 'bench/**/*.ts', 'examples/**/*.ts', 'test/**/*.ts'],
    { cwd: root },
  )
    // A manifest names the packages that an integration depends on.
    .filter((file) => !/node_modules|\/dist\/|\/live\/|\/package\.json$/.test(`/${file}`))
  const leaks = names.flatMap((name) =>
    everything.filter((file) => {
      const folder = `packages/server/src/integrations/${name.replace(/^clawboo-/, '')}/`
      const known =
        file.startsWith(folder) || file.endsWith('integrations/index.ts') || file.endsWith('registry/runtime-id.ts')
      return !known && read(file).toLowerCase().includes(name)
    }),
  )
  expect(leaks).toEqual([])
})

test('[AR3] the environment is read in one file of the server', () => {
  const readers = sources.filter((file) => file.startsWith('packages/server') && /process\.env/.test(read(file)))
  expect(
    readers.filter(
      (file) =>
        ![
          'packages/server/src/main.ts',
          'packages/server/src/config.ts',
          'packages/server/src/cli/clawboo.ts',
        ].includes(file),
    ),
  ).toEqual([])
})

test('[AR14] only server/src/processes starts a child process', () => {
  const starters = sources.filter(
    (file) => file.startsWith('packages/server/src/') && importsOf(file).includes('node:child_process'),
  )
  // The command line opens a browser and starts the server, which both outlive it.
  const elsewhere = starters.filter((file) => !/^packages\/server\/src\/(?:processes|cli)\//.test(file))
  expect(starters.length).toBeGreaterThan(elsewhere.length)
  expect(elsewhere).toEqual([])
})

test('[AR4] file names describe their contents', () => {
  expect(sources.filter((file) => /\/(utils?|helpers?|common|misc|lib)(\.|\/)/.test(file))).toEqual([])
})

test('[AR5] core runs in a browser: it bundles without node and without any dependency', async () => {
  const { build } = await import('vite')
  const bundled = await build({
    root: join(root, 'packages/core'),
    logLevel: 'silent',
    configFile: false,
    build: {
      write: false,
      minify: false,
      lib: {
        entry: [
          'src/index.ts',
          'src/registry/index.ts',
          'src/executor/index.ts',
          'src/board/index.ts',
          'src/team-chat/index.ts',
          'src/tool-gate/index.ts',
        ],
        formats: ['es'],
      },
      rolldownOptions: { external: () => false },
    },
  })
  const chunks = (Array.isArray(bundled) ? bundled : [bundled]).flatMap((result) =>
    'output' in result ? result.output : [],
  )
  const imports = chunks.flatMap((chunk) =>
    chunk.type === 'chunk'
      ? [...chunk.imports, ...chunk.dynamicImports].filter((name) => !chunks.some((other) => other.fileName === name))
      : [],
  )
  expect(chunks.length).toBeGreaterThan(0)
  expect(imports).toEqual([])
  expect(chunks.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')).not.toMatch(
    /node:|__vite-browser-external/,
  )
})

test('[AR9] the name of an agent file is in one list and nowhere else in the code', () => {
  const [, ...rest] = AGENT_FILE_NAMES
  const elsewhere = sources.filter(
    (file) =>
      !file.endsWith('registry/agent-file.ts') && rest.some((name) => name !== 'SOUL.md' && read(file).includes(name)),
  )
  expect(elsewhere).toEqual([])
})

test('[AR6] the lockfile names no host', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/)
})

test('[AR12] shared test code registers no hook when it is loaded', () => {
  const shared = globSync(['packages/*/src/**/*.ts', 'test/**/*.ts'], { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  expect(shared.length).toBeGreaterThan(500)
  expect(shared.filter((file) => /^(?:before|after)(?:Each|All)\(/m.test(read(file)))).toEqual([])
})
