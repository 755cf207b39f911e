/** The style of a tab link, and of the open one. */
export const tabClass =
  '-mb-px shrink-0 border-b-2 border-transparent py-2 text-muted hover:text-text data-[status=active]:border-accent data-[status=active]:font-[560] data-[status=active]:text-text'
