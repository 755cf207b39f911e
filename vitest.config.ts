import { defineConfig } from 'vitest/config'

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
    // Nothing has an effect when it is imported: what one file has loaded serves the next.
    isolate: false,
    include: ['packages/**/*.test.{ts,tsx}', 'examples/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/live/**'],
  },
})
