import type { OperationOutput } from '@clawboo/api/client'
import { formatColumns } from '../terminal/format-columns.ts'
import { visibleText } from '../terminal/visible-text.ts'

export type ToolServer = OperationOutput<'getToolServer'>
export type OutsideTool = ToolServer['tools'][number]
type ReadServer = OperationOutput<'registerToolServer'>

/** One line per tool, by server. */
export function toolsText(servers: readonly ToolServer[]): string {
  if (servers.length === 0) return 'No outside servers'
  const rows = servers.flatMap(({ name, endpoint, tools }) =>
    tools.length === 0 ? [['-', `${name}/`, '', `no tools at ${endpoint}`]] : tools.map(row),
  )
  return formatColumns([['STATE', 'TOOL', 'FINDINGS', ''], ...rows])
}

function row(tool: OutsideTool): string[] {
  return [tool.state, refOf(tool), foundKinds(tool).join(', ') || '-', tool.reason ?? '']
}

export function serverText(server: ToolServer): string {
  const facts = [
    ['Server', server.name],
    ['Address', server.endpoint],
    ['Seen', time(server.seenAt)],
  ]
  return [formatColumns(facts), ...(server.tools.length === 0 ? [] : ['', toolsText([server])])].join('\n')
}

/** Describes a server that was just read, with the tools that could not be stored. */
export function readText({ server, refused }: ReadServer): string {
  const left = refused.map(({ name, reason }) => [`Left out "${everyCharacter(name)}": ${reason}`])
  return [serverText(server), ...(left.length === 0 ? [] : [formatColumns(left)])].join('\n')
}

/** Everything a person needs to decide about a tool. */
export function toolText(tool: OutsideTool): string {
  const { descriptor, approved, findings } = tool
  const facts = [
    ['Tool', refOf(tool)],
    ['State', tool.reason === null ? tool.state : `${tool.state}: ${tool.reason}`],
    ['Hash', tool.hash],
    ['Approved', approved === null ? '-' : `${time(approved.at)} by ${approved.by}, hash ${approved.hash}`],
    ...findings.map(({ kind, where, excerpt }) => [
      'Finding',
      `${kind} in ${everyCharacter(where)}: ${everyCharacter(excerpt)}`,
    ]),
  ]
  const before = approved !== null && approved.hash !== tool.hash ? words('as approved', approved.descriptor) : []
  return [formatColumns(facts), ...words('as the server describes it now', descriptor), ...before].join('\n')
}

/** Server and name: unlike an id, a person can type them. */
export function refOf({ server, descriptor }: OutsideTool): string {
  return `${server}/${descriptor.name}`
}

/** Each kind of finding once. */
export function foundKinds({ findings }: OutsideTool): OutsideTool['findings'][number]['kind'][] {
  return [...new Set(findings.map(({ kind }) => kind))]
}

function words(when: string, { description, inputSchema }: OutsideTool['descriptor']): string[] {
  const schema = JSON.stringify(inputSchema, null, 2)
  return [`\nDescription ${when}:`, quoted(description), `\nArguments ${when}:`, quoted(schema)]
}

/** Prefixes every line, so that outside text cannot pass for ours. */
function quoted(text: string): string {
  return everyCharacter(text).replaceAll(/^/gm, '| ')
}

/** Writes invisible characters as escapes: a person who approves a tool must see everything a model would read. */
function everyCharacter(text: string): string {
  const shown = text.replace(
    /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  )
  return visibleText(shown)
}

function time(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
