export interface LostHeading {
  readonly heading: string
  readonly lost: 'whole' | 'part'
}

const LONGEST_HEADING = 120

/** The Markdown sections that a cut from `from` to `to` removes from a text, completely or in part. */
export function lostHeadings(text: string, from: number, to: number): LostHeading[] {
  const sections = sectionsOf(text)
  return sections.flatMap(({ heading, start }, at) => {
    const end = sections[at + 1]?.start ?? text.length
    if (end <= from || start >= to) return []
    return [{ heading, lost: start >= from && end <= to ? 'whole' : 'part' } as const]
  })
}

function sectionsOf(text: string): { heading: string; start: number }[] {
  const sections: { heading: string; start: number }[] = []
  let fence = ''
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    // The first characters are enough to recognise a heading or a fence. The rest of the line may be the whole file.
    const line = text.slice(start, Math.min(end, start + LONGEST_HEADING + 10))
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === '' || (mark[0] === fence[0] && mark.length >= fence.length)))
      fence = fence === '' ? mark : ''
    const title = fence === '' ? /^ {0,3}#{1,6}[ \t]+(\S.*)/.exec(line)?.[1] : undefined
    if (title) sections.push({ heading: title.trim().slice(0, LONGEST_HEADING), start })
    start = end + 1
  }
  return sections
}
