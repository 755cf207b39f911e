import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Only a test that hangs reaches these: a machine that is busy with other work takes many times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
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
