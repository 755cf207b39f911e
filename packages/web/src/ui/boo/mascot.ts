/** The product's own Boo, as on the tab's icon. */
export const MASCOT_SEED = 'boo-13'
