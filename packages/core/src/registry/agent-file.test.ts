import { expect, test } from 'vitest'
import { AGENT_FILE_NAMES, isAgentFileName } from './agent-file.ts'

test('[RG25] only the listed names are agent files, however similar another name is', () => {
  for (const name of AGENT_FILE_NAMES) expect(isAgentFileName(name)).toBe(true)
  for (const name of ['', 'soul.md', 'SOUL.md/', '../SOUL.md', 'SOUL.md\0', 'constructor'])
    expect(isAgentFileName(name)).toBe(false)
})
