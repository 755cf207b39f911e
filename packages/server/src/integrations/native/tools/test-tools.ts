import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApprovalAnswer } from '@clawboo/core/executor'
import { removeHome, temporaryHome } from '../../../../../../test/server-process.ts'
import { containedFiles } from '../../../access/contained-path.ts'
import { testProcesses } from '../../../processes/test-processes.ts'
import type { AllowlistEntry } from '../exec/allowlist.ts'
import { createCommandSessions } from '../exec/command-sessions.ts'
import { createExecApprovals } from '../exec/exec-approvals.ts'
import type { ExecRules } from '../exec/exec-policy.ts'
import { openWorkFolder } from '../run-folder.ts'
import { testFolderAt } from '../test-folder.ts'
import { createTools, type ToolsDeps } from './create-tools.ts'
import type { ApprovalQuestion, ToolResult } from './tool.ts'

export interface TestToolsOptions extends Partial<Omit<ToolsDeps, 'exec' | 'workspace'>> {
  readonly rules?: ExecRules
  /** Answers approval requests. Without it every request is denied. */
  readonly answer?: (question: ApprovalQuestion) => ApprovalAnswer | Promise<ApprovalAnswer>
  /** Works in a folder next to the agent's workspace instead of in it. */
  readonly inFolder?: boolean
}

/** The real tools in a real workspace, or in the folder of a run, inside an otherwise empty folder. */
export async function openTools(options: TestToolsOptions = {}) {
  const base = await temporaryHome()
  const ownWorkspace = join(base, 'agent', 'workspace')
  const workspace = options.inFolder ? join(base, 'agent', 'work') : ownWorkspace
  for (const folder of [ownWorkspace, workspace]) await mkdir(folder, { recursive: true })
  const own = containedFiles(base, { maxBytes: 1_000_000 }).folder('agent/workspace')
  const processes = testProcesses({
    PATH: process.env.PATH,
    HOME: base,
    LANG: 'C.UTF-8',
    SECRET_OF_THE_SERVER: 'canary',
  })
  const questions: ApprovalQuestion[] = []
  const kept: AllowlistEntry[] = []
  const sessions = createCommandSessions(processes)
  const tools = createTools({
    ...(options.inFolder
      ? { workspace: await openWorkFolder(testFolderAt, workspace), ownWorkspace: own }
      : { workspace: own }),
    workspaceOnly: options.workspaceOnly ?? true,
    exec: {
      rules: options.rules ?? { ask: 'on-miss' },
      approvals: createExecApprovals({
        load: async () => [...kept],
        save: async (entries) => void kept.splice(0, kept.length, ...entries),
      }),
    },
    env: processes.environment(),
    confinement: processes.confinement,
    commandSessions: sessions,
    ...options,
  })
  const call = async (
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ToolResult & { readonly text: string }> => {
    const tool = tools.find((each) => each.name === name)!
    const result = await tool.run(input, {
      callId: 'call-1',
      signal,
      askApproval: async (question) => {
        questions.push(question)
        return (await options.answer?.(question)) ?? 'deny'
      },
    })
    const text = result.content.map((part) => (part.type === 'text' ? part.text : `<${part.mimeType}>`)).join('\n')
    return { ...result, text }
  }
  const dispose = async () => {
    await sessions.dispose(500)
    await removeHome(base)
  }
  return { base, workspace, ownWorkspace, tools, call, questions, kept, sessions, dispose }
}

export type TestTools = Awaited<ReturnType<typeof openTools>>

export const FULL: ExecRules = { security: 'full', ask: 'off' }

/** A machine that cannot confine programs, and a person who allows every command. */
export const UNCONFINED: TestToolsOptions = {
  rules: FULL,
  confinement: async () => ({ isOn: false, reason: 'No confiner.', fix: null }),
  answer: async () => 'allow-once' as const,
}
