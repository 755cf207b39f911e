let held: string | null = null

/** Keeps the code of a sign-in link until it is used; the address loses it at once. */
export function holdSignInCode(code: string): void {
  held = code
}

/** Returns the code once: a code works once, so a second attempt can only fail. */
export function takeSignInCode(): string | null {
  const code = held
  held = null
  return code
}
