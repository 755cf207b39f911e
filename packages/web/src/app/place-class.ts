/** The style of a link in the rail, and of the active link. */
export const placeClass =
  'flex h-[30px] shrink-0 items-center gap-2.5 rounded-s px-2 text-muted hover:text-text data-[status=active]:text-text'
export const placeOnClass = 'bg-surface shadow-[inset_0_0_0_1px_var(--line)]'
