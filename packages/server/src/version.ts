/** The version of the product, as its packages carry it. */
export const VERSION = '0.1.0'
