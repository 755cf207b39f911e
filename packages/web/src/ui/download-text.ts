/** Downloads a text as a file. */
export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once, because the browser has not read it yet.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
