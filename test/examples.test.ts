import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { oneServer } from './one-server.ts'

const running = oneServer()

test('[AP5] the example program creates a Boo with the typed client and receives its event from the feed', async () => {
  const program = join(import.meta.dirname, '../examples/follow-the-fleet.ts')
  const words = ['--disable-warning=ExperimentalWarning', program, running().url, running().token]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  expect(stdout).toBe('the feed reported Echo, and the fleet agrees\n')
})
