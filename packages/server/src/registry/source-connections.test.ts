import { ClawbooError } from '@clawboo/core'
import { createMemoryAgentSource } from '@clawboo/core/contract'
import { AgentRegistry, type AgentSource, type ConnectionView, type SourceConnection } from '@clawboo/core/registry'
import { describe, expect, it } from 'vitest'
import { useRecords } from '../executor/test-records.ts'
import { createSqliteDatabase } from '../store/test-stores.ts'
import { createSourceConnections } from './source-connections.ts'

const SECRET = 'open-sesame'
const VIEW: ConnectionView = {
  state: 'disconnected',
  since: 1,
  address: 'here',
  version: null,
  scopes: [],
  lastSyncAt: null,
  problem: null,
}

describe('Connections of sources', () => {
  const records = useRecords(createSqliteDatabase)
  const connectionsOf = (
    connect: SourceConnection['connect'],
    source: Partial<AgentSource> = {},
    beforeRemove = async (_: string) => async () => {},
  ) => {
    const registry = new AgentRegistry()
    registry.register({ ...createMemoryAgentSource('one'), ...source })
    const connection: SourceConnection = {
      read: async () => VIEW,
      discover: async () => [],
      connect,
      disconnect: async () => VIEW,
    }
    const connections = new Map([['one', connection]])
    const record = records()[0]!.record
    return createSourceConnections({ registry, connections, toolPolicies: new Map(), record, beforeRemove })
  }

  it('[RG55] removes the secret when an upstream repeats it', async () => {
    const repeating = connectionsOf(async ({ secret }) => ({
      ...VIEW,
      version: `for ${secret}`,
      problem: { code: 'secret_wrong', message: `${secret}? not ${secret}!`, remedy: `Do not say ${secret}.` },
    }))
    expect(await repeating.connect('one', { address: 'here', secret: SECRET })).toEqual({
      ...VIEW,
      version: 'for [the secret]',
      problem: {
        code: 'secret_wrong',
        message: '[the secret]? not [the secret]!',
        remedy: 'Do not say [the secret].',
      },
    })
    expect(JSON.stringify(await records()[0]!.audit())).not.toContain(SECRET)
  })

  it('[RG55] an error contains no part of the secret, in the response or the log', async () => {
    const request = { address: 'here', secret: SECRET }
    const refusing = connectionsOf(async () => {
      throw new ClawbooError('connection_invalid', `no ${SECRET} there`, { details: { given: SECRET } })
    })
    const refused = await refusing.connect('one', request).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'connection_invalid', message: 'no [the secret] there', details: {} })
    const breaking = connectionsOf(async () => {
      throw new TypeError(`"${SECRET}" is no header`, { cause: SECRET })
    })
    const broken = await breaking.connect('one', request).catch((error: unknown) => error)
    records()[0]!.log.error('a request failed', { error: broken })
    expect(records()[0]!.lines.join('\n')).toContain('is no header')
    expect(records()[0]!.lines.join('\n')).not.toContain(SECRET)
  })

  it('[RG56] a refused request leaves no audit entry', async () => {
    const before = await records()[0]!.audit()
    const refusing = connectionsOf(async () => {
      throw new ClawbooError('connection_invalid', 'not there')
    })
    await expect(refusing.connect('one', { address: 'x' })).rejects.toMatchObject({ code: 'connection_invalid' })
    expect(await records()[0]!.audit()).toEqual(before)
  })

  it('[RG57] ends a vanished agent’s work before removing the agent, and always releases it', async () => {
    const [agent, ghost] = await agents()
    const steps: string[] = []
    const beforeRemove = async (id: string) => {
      steps.push(`hold ${id}`)
      return async () => void steps.push(`release ${id}`)
    }
    const source = { listAgents: async () => [agent!, { ...ghost!, archivedAt: 1 }] }
    const connect = async () => VIEW
    const removing = async () => {
      steps.push('remove')
      return { removed: [ghost!.id] }
    }
    await connectionsOf(connect, { ...source, removeGhosts: removing }, beforeRemove).removeGhosts('one')
    const held = [`hold ${ghost!.id}`, 'remove', `release ${ghost!.id}`]
    expect(steps.splice(0)).toEqual(held)
    const failing = async () => {
      steps.push('remove')
      throw new ClawbooError('upstream_disconnected', 'away')
    }
    const failed = connectionsOf(connect, { ...source, removeGhosts: failing }, beforeRemove).removeGhosts('one')
    await expect(failed).rejects.toMatchObject({ code: 'upstream_disconnected' })
    expect(steps).toEqual(held)
  })

  async function agents() {
    const source = createMemoryAgentSource('one')
    await source.createAgent({ name: 'Ada' })
    await source.createAgent({ name: 'Ghost' })
    return source.listAgents()
  }
})
