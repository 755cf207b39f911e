import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { liveSuites } from './test/live/live-suites.ts'

const present = liveSuites().filter(({ install, variable }) => install === null || process.env[variable])

export default defineConfig({
  test: {
    include: present.map(({ folder }) => `${folder}/**/*.test.ts`),
    exclude: ['**/node_modules/**'],
    // A real runtime starts in 15 seconds, or in several minutes on a busy machine.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    teardownTimeout: 60_000,
    // Only a test that can never succeed should reach this: a starved Gateway has needed minutes for its first answer.
    expect: { poll: { timeout: 600_000 } },
    fileParallelism: false,
    setupFiles: ['test/seed.ts'],
    globalSetup: present
      .map(({ folder }) => `${folder}/global-setup.ts`)
      .filter((file) => existsSync(join(import.meta.dirname, file))),
  },
})
