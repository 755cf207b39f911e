import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Long enough for a busy machine, so that only a hanging test reaches them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests wait much of the time, so three workers keep two cores busy.
    maxWorkers: 3,
    setupFiles: ['test/seed.ts'],
    globalSetup: ['packages/server/src/store/postgres/test-postgres.ts'],
    // No module has an effect when it is imported, so test files can share loaded modules.
    isolate: false,
    include: ['packages/**/*.test.{ts,tsx}', 'examples/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/live/**'],
  },
})
