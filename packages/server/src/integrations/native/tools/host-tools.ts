import { ClawbooError } from '@clawboo/core'
import type { HostTool, HostTools } from '@clawboo/core/executor'
import type { JSONSchema7 } from 'json-schema'
import { isToolName } from '../models/call/tool-call-id.ts'
import { orAborted } from '../or-aborted.ts'
import { failure } from './define-tool.ts'
import type { Tool } from './tool.ts'

/**
 * Wraps the host's tools for a model. Throws when a name clashes with a built-in tool or another host tool. Does not check
 * the arguments: the host does, and records invalid attempts.
 */
export function createHostTools(host: HostTools, ownNames: readonly string[]): readonly Tool[] {
  // Tool rules ignore case and treat "bash" as "exec". A host tool with such a name could evade a denial.
  const taken = new Set([...ownNames.map((name) => name.toLowerCase()), 'bash'])
  return host.tools.map((tool) => {
    const key = tool.name.toLowerCase()
    if (!isToolName(tool.name)) throw refused(tool, 'models do not accept this name')
    if (taken.has(key)) throw refused(tool, 'the name is taken')
    if (!isObjectSchema(tool.inputSchema)) throw refused(tool, 'its input schema is not an object')
    taken.add(key)
    return hostTool(host, tool, tool.inputSchema)
  })
}

function hostTool(host: HostTools, { name, description }: HostTool, schema: JSONSchema7): Tool {
  const { $schema: _, ...inputSchema } = schema
  return {
    name,
    description,
    inputSchema,
    check: () => null,
    async run(args, { signal }) {
      if (signal.aborted) return failure('Stopped before it started; nothing was done.')
      // A host tool that ignores the abort must not block the run.
      const answer = await orAborted(host.call({ name, args, signal }), signal)
      if (answer === 'aborted') return failure('Stopped; the tool may have done part of its work.')
      if (answer === null) return failure(`The tool "${name}" is not available in this run. Nothing was done.`)
      const text = answer.text.toWellFormed()
      return { content: [{ type: 'text', text: text.trim() === '' ? '(no output)' : text }], isError: answer.isError }
    },
  }
}

function isObjectSchema(schema: unknown): schema is JSONSchema7 {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object'
}

function refused({ name }: HostTool, problem: string): ClawbooError {
  return new ClawbooError('agent_cannot_run', `the host's tool "${name.slice(0, 100)}" cannot be offered: ${problem}`)
}
