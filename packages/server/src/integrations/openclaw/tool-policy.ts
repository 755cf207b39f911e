import type { SourceToolPolicy, ToolPolicy } from '@clawboo/core/registry'
import { changeConfig } from './gateway/change-config.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { list, object, text } from './gateway/gateway-frames.ts'

/** The tool policy in `tools.allow` and `tools.deny` of the Gateway's settings. */
export function createToolPolicy(gateway: GatewayConnection): SourceToolPolicy {
  const read = async () => readPolicy(object(object(await gateway.call('config.get')).config))
  return {
    read,
    async change({ deny, undeny }) {
      await changeConfig(gateway, (config) => {
        const before = readPolicy(config).deny
        const after = [...new Set([...before.filter((tool) => !undeny.includes(tool)), ...deny])]
        const isSame = after.length === before.length && before.every((tool) => after.includes(tool))
        return isSame ? null : { patch: { tools: { deny: after } }, replacePaths: ['tools.deny'] }
      })
      return read()
    },
  }
}

function readPolicy(config: Readonly<Record<string, unknown>>): ToolPolicy {
  const { allow, deny } = object(config.tools)
  return { allow: Array.isArray(allow) ? allow.map(text) : null, deny: list(deny).map(text) }
}
