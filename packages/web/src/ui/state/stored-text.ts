/** Storage may be disabled or full. The page then works, but stores nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // The browser blocks its storage.
    return null
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The page works without it.
  }
}

/** The fields of a stored JSON object. The storage can contain anything, and an unreadable text has no fields. */
export function parseStored(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    // The text was not written by this page.
    return {}
  }
}
