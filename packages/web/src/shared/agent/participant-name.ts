/** A name for any participant, even a deleted one. */
export function participantName(
  who: { readonly kind: string; readonly id: string | null },
  known: { readonly displayName: string } | undefined,
): string {
  if (isYou(who)) return 'You'
  if (who.kind === 'host') return 'Clawboo'
  return known?.displayName ?? (who.kind === 'person' ? 'A former member' : 'A deleted Boo')
}

/** The server's id for the holder of the operator's credential, who is the only user of this page. */
export const OPERATOR_ID = 'operator'

export function isYou(who: { readonly kind: string; readonly id: string | null }): boolean {
  return who.kind === 'operator' || who.id === OPERATOR_ID
}
