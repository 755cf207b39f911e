import type { Candidate } from '../failover/failover.ts'

/** The scripted model. It needs no key and is always available. */
export const DEMO_CANDIDATE: Candidate = { provider: 'demo', model: 'boo' }
