/** Hands a text to the browser as a file. */
export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // At once would be before the browser has taken it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
