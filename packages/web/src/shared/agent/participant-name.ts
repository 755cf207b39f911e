import { isYou } from './is-you.ts'

/** A name for any participant, also for a deleted one. */
export function participantName(
  who: { readonly kind: string; readonly id: string | null },
  known: { readonly displayName: string } | undefined,
): string {
  if (isYou(who)) return 'You'
  if (who.kind === 'host') return 'Clawboo'
  return known?.displayName ?? (who.kind === 'person' ? 'A former member' : 'A deleted Boo')
}
