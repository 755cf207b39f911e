import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

export default defineConfig({
  test: {
    // Long enough for a busy machine, so that only a hanging test reaches them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests wait much of the time, so four workers keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: createLongestFirst() },
    setupFiles: ['test/seed.ts'],
    globalSetup: ['packages/server/src/store/postgres/test-postgres.ts'],
    // No module has an effect when it is imported, so test files can share loaded modules.
    isolate: false,
    include: ['packages/**/*.test.{ts,tsx}', 'examples/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/live/**'],
  },
})

/**
 * Vitest starts the largest files first. A file that runs a contract suite or a whole server is small and takes long;
 * started last, it keeps one core busy while the others have nothing to do.
 */
function createLongestFirst() {
  const takesLong = ({ moduleId }: TestSpecification) =>
    /[\\/]test[\\/]/.test(moduleId) || /Contract\(/.test(readFileSync(moduleId, 'utf8'))
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files)
      return [...sorted.filter(takesLong), ...sorted.filter((file) => !takesLong(file))]
    }
  }
}
