/** Whoever holds the operator's credential, as the server names them. Only they see this page. */
export const OPERATOR_ID = 'operator'

export function isYou(who: { readonly kind: string; readonly id: string | null }): boolean {
  return who.kind === 'operator' || who.id === OPERATOR_ID
}
