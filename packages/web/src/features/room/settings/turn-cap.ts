import { MAX_TURNS } from '@clawboo/core/team-chat'

/** Parses the turn cap: a number, null for the default, or the problem. */
export function readTurnCap(typed: string): { readonly turnCap: number | null } | { readonly problem: string } {
  const text = typed.trim()
  if (text === '') return { turnCap: null }
  const turnCap = Number(text)
  const isCap = /^\d+$/.test(text) && turnCap >= MAX_TURNS.least && turnCap <= MAX_TURNS.most
  return isCap
    ? { turnCap }
    : { problem: `A whole number from ${MAX_TURNS.least} to ${MAX_TURNS.most}, or empty for the default.` }
}
