/** The style of a button within a line of text. */
export const quietAction =
  'shrink-0 rounded-s font-[550] text-accent-text underline-offset-2 hover:underline max-wide:inline-flex max-wide:min-h-10 max-wide:items-center'
