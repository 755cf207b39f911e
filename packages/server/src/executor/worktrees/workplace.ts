export type { Refusal } from './refusal.ts'
export type { Worktree as Workplace } from './worktree.ts'
