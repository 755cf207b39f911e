import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/src/**/*.test.tsx',
      'examples/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', 'test/live/**'],
    testTimeout: 60_000,
    // A poll ends when it is true; a loaded machine may take a while.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    maxWorkers: 2,
    setupFiles: ['test/seed.ts'],
    globalSetup: ['packages/server/src/store/postgres/test-postgres.ts'],
  },
})
