import type { OutsideToolRecord } from '../store/repositories/tools/outside-tools-repository.ts'
import type { Finding } from './scan-descriptor.ts'
import type { ToolDescriptor } from './tool-descriptor.ts'

/** A tool of an outside server, for the person who decides about it. */
export interface OutsideTool {
  readonly id: string
  readonly server: string
  /** As the server last described it. */
  readonly descriptor: ToolDescriptor
  readonly hash: string
  readonly findings: readonly Finding[]
  /** Agents can see only approved tools. */
  readonly state: 'pending' | 'approved' | 'suspended'
  /** The reason for the suspension. */
  readonly reason: string | null
  readonly approved: {
    readonly descriptor: ToolDescriptor
    readonly hash: string
    readonly by: string
    readonly at: number
  } | null
}

export function outsideTool(record: OutsideToolRecord): OutsideTool {
  const { id, server, hash, state, reason, approvedDescriptor, approvedHash, approvedBy, approvedAt } = record
  return {
    id,
    server,
    hash,
    state,
    reason,
    descriptor: JSON.parse(record.descriptor) as ToolDescriptor,
    findings: JSON.parse(record.findings) as Finding[],
    approved:
      approvedDescriptor === null
        ? null
        : {
            descriptor: JSON.parse(approvedDescriptor) as ToolDescriptor,
            hash: approvedHash!,
            by: approvedBy!,
            at: approvedAt!,
          },
  }
}
