export interface Box {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

export type AnnouncementPlace = 'bottom' | 'top'

/** At the bottom, unless a text field is there; then at the top; and if that is covered too, away from the cursor. */
export function announcementPlace(options: {
  readonly atBottom: Box
  readonly atTop: Box
  readonly fields: readonly Box[]
  readonly focused: Box | null
}): AnnouncementPlace {
  const { atBottom, atTop, fields, focused } = options
  const isFree = (place: Box) => !fields.some((field) => overlaps(field, place))
  if (isFree(atBottom)) return 'bottom'
  if (isFree(atTop)) return 'top'
  return focused !== null && overlaps(focused, atTop) ? 'bottom' : 'top'
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
