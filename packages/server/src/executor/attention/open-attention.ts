import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import { createPersonRequests } from '../people/person-requests.ts'
import { createAttention } from './attention.ts'
import { createOutsideApprovals } from './outside-approvals.ts'

/** The items that need a person, and the ways in which integrations add to them. */
export function openAttention(options: { readonly store: Store; readonly record: RecordChange; readonly log: Log }) {
  const { store, record } = options
  const attention = createAttention(options)
  return {
    attention,
    people: createPersonRequests(attention),
    approvals: createOutsideApprovals({ store, record, attention }),
    close: () => attention.close(),
  }
}
