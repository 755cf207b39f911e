import { createClient } from '@clawboo/api/client'
import { markSignedOut } from './session.ts'

/** The page's only API client. It uses the same origin, and the cookie is the credential. */
export const client = createClient({
  baseUrl: '',
  send: async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 401 && !String(input).endsWith('/api/sign-in')) markSignedOut()
    return response
  },
})
