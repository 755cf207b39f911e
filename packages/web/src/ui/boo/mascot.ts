/** The product's own Boo, as in the tab's icon. */
export const MASCOT_SEED = 'boo-13'
