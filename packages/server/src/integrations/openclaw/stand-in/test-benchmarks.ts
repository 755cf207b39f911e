import { eventLag } from './test-bench-event-lag.ts'
import { sync1k } from './test-bench-sync-1k.ts'

/** Found by `npm run bench`. */
export const BENCHMARKS = [sync1k, eventLag]
