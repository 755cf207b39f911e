import { defineConfig } from 'vitest/config'

/** These only compute: what one of their files has loaded serves the next. */
const PURE = ['packages/{api,core,scripted-model,web}/src/**/*.test.{ts,tsx}']

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // A poll ends when it is true; a loaded machine may take a while.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    // One more than cores: a good part of the time a test waits.
    maxWorkers: 3,
    setupFiles: ['test/seed.ts'],
    globalSetup: ['packages/server/src/store/postgres/test-postgres.ts'],
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['packages/server/src/**/*.test.ts', 'examples/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/live/**'],
        },
      },
    ],
  },
})
