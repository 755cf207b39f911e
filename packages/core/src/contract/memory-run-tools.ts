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

/** The tool name and input that a step reports. */
export function toolOf(step: RuntimeScriptStep): { readonly tool: string; readonly input: Record<string, unknown> } {
  if ('callHostTool' in step) return { tool: step.callHostTool, input: { ...step.with } }
  if ('writeFile' in step) return { tool: 'write', input: { path: step.writeFile, content: step.content } }
  if ('askApproval' in step) return { tool: 'act', input: { action: step.askApproval } }
  return { tool: 'look', input: {} }
}

/** Writes into the run's folder if it has one, otherwise into the agent's in-memory workspace. */
export async function writeFileOf({ state, claims, agentId, options }: Setting, name: string, content: string) {
  if (claims.worktrees && options.folder !== null) await writeFile(join(options.folder, name), content)
  else state.files.set(`${agentId}/${name}`, content)
}

/** Returns the host's answer, or an error message when the host has no such tool. */
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
