import { ClawbooError } from '@clawboo/core'

/**
 * The address as it is kept. Only https, or plain http to this machine: anybody between could change what a tool
 * answers. A secret in an address would get into backups and logs, so it has no place in it.
 */
export function readServerAddress(given: string): string {
  const url = given.length <= 2_000 && URL.canParse(given) ? new URL(given) : null
  if (!url) throw refused('the address is no URL')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname)))
    throw refused('the address is https, or http on this machine')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refused('the address has no user, password, query or fragment')
  return url.href
}

/** As URL writes them: an IPv4 address in any spelling comes out as four numbers. */
function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function refused(message: string): ClawbooError {
  return new ClawbooError('request_invalid', message, { details: { problems: [{ field: 'endpoint', message }] } })
}
