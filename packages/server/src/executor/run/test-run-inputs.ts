import type { AgentFileTexts } from '@clawboo/core/executor'
import { AGENT_FILE_NAMES } from '@clawboo/core/registry'
import type { PrepareRunInput } from './prepare-run-input.ts'

/** The files of an agent without any. */
export const NO_FILES = Object.fromEntries(AGENT_FILE_NAMES.map((name) => [name, null])) as AgentFileTexts

/** For runs of the reference runtime: no files and no home, so that nothing waits for a disk. */
export const NO_RUN_INPUT: PrepareRunInput = async () => ({
  files: NO_FILES,
  home: null,
  release: async () => {},
})
