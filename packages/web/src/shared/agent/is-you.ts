/** The server's id for the holder of the operator's credential, who is the only user of this page. */
export const OPERATOR_ID = 'operator'

export function isYou(who: { readonly kind: string; readonly id: string | null }): boolean {
  return who.kind === 'operator' || who.id === OPERATOR_ID
}
