/** The version of the product and its packages. */
export const VERSION = '0.1.0'
