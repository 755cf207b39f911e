import type { IncomingMessage } from 'node:http'
import { ClawbooError } from '@clawboo/core'
import { type Grants, type LiveGrant, looksLikeGrant } from '../access/grants.ts'
import type { Caller } from '../mcp/caller.ts'
import { type Credentials, placeOf } from './credentials.ts'

/** Identifies the caller of an MCP server: a run by its grant, or the operator. */
export type IdentifyCaller = (request: IncomingMessage) => Promise<Caller>

/** The grant, and the binding of the grant, which the address may repeat so that a person can read it. */
const PARAMETERS = ['grant', 'roomTeamId', 'postAuthorAgentId']

export function createMcpCallers(grants: Grants, credentials: Credentials): IdentifyCaller {
  return async (request) => {
    const at = placeOf(request)
    const query = readParameters(request.url ?? '')
    const secret = grantOf(request, query)
    if (secret === null) {
      try {
        await credentials.check(request)
      } catch (error) {
        await grants.recordRefusal({ grant: null, because: 'no_grant', at })
        throw error
      }
      return { kind: 'operator' }
    }
    const check = await grants.use(secret)
    if (check.state === 'spent')
      throw new ClawbooError('rate_limited', 'this run has sent too many requests; wait a second')
    if (check.state === 'dead') {
      await grants.recordRefusal({ grant: check.grant, because: check.because, at })
      throw new ClawbooError('credential_refused', 'the grant is not valid; a grant ends with its run')
    }
    const wrong = contradiction(query, check.grant)
    if (wrong !== null) {
      await grants.recordRefusal({ grant: check.grant, because: `other_${wrong}`, at })
      throw new ClawbooError('grant_refused', `the grant is not valid for this ${wrong}`)
    }
    const { id: grantId, ...binding } = check.grant
    return { kind: 'run', ...binding, grantId }
  }
}

function grantOf({ headers }: IncomingMessage, query: ReadonlyMap<string, string>): string | null {
  const inQuery = query.get('grant')
  if (inQuery !== undefined && headers.authorization !== undefined)
    throw new ClawbooError('request_invalid', 'send the grant either in the address or as a bearer token, not both')
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return inQuery ?? (bearer !== undefined && looksLikeGrant(bearer) ? bearer : null)
}

function readParameters(url: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const start = url.indexOf('?')
  for (const [name, value] of new URLSearchParams(start === -1 ? '' : url.slice(start + 1))) {
    if (!PARAMETERS.includes(name))
      throw new ClawbooError('request_invalid', `there is no query parameter "${name.slice(0, 100)}" here`)
    if (found.has(name)) throw new ClawbooError('request_invalid', `the query parameter "${name}" is repeated`)
    found.set(name, value)
  }
  return found
}

function contradiction(query: ReadonlyMap<string, string>, grant: LiveGrant): 'team' | 'agent' | null {
  const [team, agent] = [query.get('roomTeamId'), query.get('postAuthorAgentId')]
  if (team !== undefined && team !== grant.teamId) return 'team'
  return agent !== undefined && agent !== grant.agentId ? 'agent' : null
}
