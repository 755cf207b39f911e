import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ALLOWED,
  ESCAPING_COMMANDS,
  ESCAPING_PATHS,
  ESCAPING_VARIABLES,
  expectNothingHappened,
  expectOutOfReach,
  expectRefused,
  openTrappedTools,
} from './test-escapes.ts'
import { openTools, type TestTools } from './test-tools.ts'

let tools: TestTools
beforeEach(async () => {
  tools = await openTrappedTools()
})
afterEach(() => tools.dispose())

describe('commands', () => {
  test.each(ESCAPING_COMMANDS)('[NR170] with approvals switched off the command is refused: %j', (command) =>
    expectRefused(tools, command),
  )

  test('[NR170] an allowed command still runs unchanged', async () => {
    expect((await tools.call('exec', { command: 'echo \'a;b\' "c|d" | cat' })).text).toBe('a;b c|d')
    expect((await tools.call('exec', { command: 'grep -c touch evil.sh && ls bin' })).text).toBe('1\nls')
    expect((await tools.call('exec', { command: 'touch *.sh; echo *.sh' })).text).toBe('evil.sh')
    expect(tools.questions).toEqual([])
    await expectNothingHappened(tools)
  })

  test('[NR139] the same attempts need an approval when approvals are on, and no shell can be allowed permanently', async () => {
    const asked = await openTools({ rules: { ask: 'on-miss', allowlist: ALLOWED }, answer: () => 'deny' })
    try {
      for (const command of ESCAPING_COMMANDS)
        expect(await asked.call('exec', { command })).toMatchObject({ isError: true })
      expect(asked.questions.length).toBeGreaterThan(ESCAPING_COMMANDS.length - 5)
      const alwaysAllowable = asked.questions
        .filter((question) => question.mayAlwaysAllow)
        .map((question) => question.action)
      expect(
        alwaysAllowable.filter((action) =>
          /\b(sh|env|xargs|bash|zsh|python3|node|awk|sed|git|eval|exec)\b(?!\.)/.test(action.replaceAll('evil.sh', '')),
        ),
      ).toEqual([])
    } finally {
      await asked.dispose()
    }
  })
})

describe('variables', () => {
  test.each(ESCAPING_VARIABLES)('[NR170] %s cannot turn an allowed program into another one', async (name) => {
    const result = await tools.call('exec', { command: 'grep touch evil.sh', env: { [name]: tools.workspace } })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining(name) })
    await expectNothingHappened(tools)
  })
})

test.each(ESCAPING_PATHS)('[NR170] no tool can escape through %s', (path) => expectOutOfReach(tools, path))

test('[NR139] any answer but an approval denies the command', async () => {
  const own = await openTools({ answer: () => 'later' as 'deny' })
  expect(await own.call('exec', { command: 'touch made' })).toMatchObject({ isError: true })
  expect(own.questions).toHaveLength(1)
  expect(await readdir(own.workspace)).toEqual([])
  await own.dispose()
})
