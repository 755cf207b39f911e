/** Keys in the formats of the vendors, including keys partly masked with asterisks in error texts. */
const KEY_SHAPES = /\b(?:sk|pk|rk|xai|gsk|hf)[-_][A-Za-z0-9_*-]{6,}|\bAIza[0-9A-Za-z_*-]{10,}|\bBearer\s+[^\s"',;]+/g

/** Removes keys from a text for a person or a log. */
export function scrubSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[key]')
  return clean.replace(KEY_SHAPES, '[key]')
}
