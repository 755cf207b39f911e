import type { AgentFileName } from './agent-file.ts'

/** One state of an agent's file: content, author and time. Revisions count from 1 per file and never change. */
export interface AgentFileRevision extends AgentFileRevisionInfo {
  readonly content: string
}

export interface AgentFileRevisionInfo {
  readonly agentId: string
  readonly name: AgentFileName
  readonly revision: number
  /** SHA-256 of the content, hex. */
  readonly hash: string
  readonly bytes: number
  readonly author: string
  readonly createdAt: number
}

/** The author of a change on disk, made by the agent itself or by a person's editor. */
export const WORKSPACE_AUTHOR = 'workspace'
