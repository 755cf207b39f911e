import { ClawbooError } from '@clawboo/core'
import type { HostTool, HostTools } from '@clawboo/core/executor'
import type { JSONSchema7 } from 'json-schema'
import { isToolName } from '../models/tool-name.ts'
import { failure } from './define-tool.ts'
import type { Tool } from './tool.ts'

/**
 * The host's tools as a model is offered them. Throws when one could not be told from a tool of the runtime's own, or
 * from another. Arguments are not judged here: the host does, and notes what nobody should have tried.
 */
export function createHostTools(host: HostTools, ownNames: readonly string[]): readonly Tool[] {
  // Rules about tools ignore case and take "bash" for "exec": a name like that would escape a denial.
  const taken = new Set([...ownNames.map((name) => name.toLowerCase()), 'bash'])
  return host.tools.map((tool) => {
    const key = tool.name.toLowerCase()
    if (!isToolName(tool.name)) throw refused(tool, 'a model takes no such name')
    if (taken.has(key)) throw refused(tool, 'the name is taken')
    if (!isObjectSchema(tool.inputSchema)) throw refused(tool, 'its input is described as no object')
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
      if (signal.aborted) return failure('Stopped before it began; nothing was done.')
      const answer = await unlessAborted(host.call({ name, args, signal }), signal)
      if (answer === 'aborted') return failure('Stopped; the tool may have done a part of its work.')
      if (answer === null) return failure(`The tool "${name}" is not there for this run. Nothing was done.`)
      const text = answer.text.toWellFormed()
      return { content: [{ type: 'text', text: text.trim() === '' ? '(no output)' : text }], isError: answer.isError }
    },
  }
}

/** A host that goes on after an abort must not hold the run. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve('aborted')
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function isObjectSchema(schema: unknown): schema is JSONSchema7 {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'object'
}

function refused({ name }: HostTool, why: string): ClawbooError {
  return new ClawbooError('agent_cannot_run', `the host's tool "${name.slice(0, 100)}" cannot be offered: ${why}`)
}
