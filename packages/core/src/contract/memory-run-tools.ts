import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Capabilities, HostToolAnswer, StartOptions } from '../executor/index.ts'
import type { MemoryRuntimeState } from './memory-runtime-state.ts'
import type { RuntimeScriptStep } from './runtime-adapter/script.ts'

interface Setting {
  readonly state: MemoryRuntimeState
  readonly claims: Capabilities
  readonly agentId: string
  readonly options: StartOptions
}

/** How the call of a step is told. */
export function toolOf(step: RuntimeScriptStep): { readonly tool: string; readonly input: Record<string, unknown> } {
  if ('callHostTool' in step) return { tool: step.callHostTool, input: { ...step.with } }
  if ('writeFile' in step) return { tool: 'write', input: { path: step.writeFile, content: step.content } }
  if ('askApproval' in step) return { tool: 'act', input: { action: step.askApproval } }
  return { tool: 'look', input: {} }
}

/** Into the folder the run was given, or else into the agent's own workspace, which is in memory. */
export async function writeFileOf({ state, claims, agentId, options }: Setting, name: string, content: string) {
  if (claims.worktrees && options.folder !== null) await writeFile(join(options.folder, name), content)
  else state.files.set(`${agentId}/${name}`, content)
}

/** What the host says, or an error in words where there is no such tool. */
export async function callHostTool(
  { claims, options: { hostTools } }: Setting,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<HostToolAnswer> {
  const offered = claims.mcp && hostTools?.tools.some((tool) => tool.name === name)
  const answer = offered ? await hostTools!.call({ name, args, signal }) : null
  return answer ?? { text: `there is no tool "${name}"`, isError: true }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}
