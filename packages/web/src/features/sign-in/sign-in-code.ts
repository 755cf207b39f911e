let held: string | null = null

/** Keeps the code that came in the address until it is used; the address itself loses it at once. */
export function holdSignInCode(code: string): void {
  held = code
}

/** Hands the code over once: a code works once, so a second try with it can only fail. */
export function takeSignInCode(): string | null {
  const code = held
  held = null
  return code
}
