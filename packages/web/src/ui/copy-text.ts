/** Copies a text; rejects where the browser has no clipboard, as on an insecure address. */
export function copyText(text: string): Promise<void> {
  return navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
}
