import { ClawbooError } from '@clawboo/core'

/**
 * Validates an address. Allows only https, or plain http to this machine: anyone in between could change a tool's
 * answers. Refuses secrets in an address, which would reach backups and logs.
 */
export function readServerAddress(address: string): string {
  const url = address.length <= 2_000 && URL.canParse(address) ? new URL(address) : null
  if (!url) throw refused('the address is not a valid URL')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw refused('the address must use https, or http on this machine')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refused('the address may not contain a user, password, query or fragment')
  return url.href
}

/** URL normalises every spelling of an IPv4 address to four numbers. */
function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function refused(message: string): ClawbooError {
  return new ClawbooError('request_invalid', message, { details: { problems: [{ field: 'endpoint', message }] } })
}
