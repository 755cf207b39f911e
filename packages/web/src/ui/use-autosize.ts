import { type RefObject, useLayoutEffect } from 'react'

/** A text field as high as its text, up to `tallestPx`. */
export function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string, tallestPx: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${Math.min(area.scrollHeight, tallestPx)}px`
  }, [field, text, tallestPx])
}
