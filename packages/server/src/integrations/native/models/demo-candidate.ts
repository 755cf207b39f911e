import type { Candidate } from './failover.ts'

/** The scripted model: it needs no key and is always there. */
export const DEMO_CANDIDATE: Candidate = { provider: 'demo', model: 'boo' }
