/** Keys as vendors write them, also half hidden by stars as in their error texts. */
const KEY_SHAPES = /\b(?:sk|pk|rk|xai|gsk|hf)[-_][A-Za-z0-9_*-]{6,}|\bAIza[0-9A-Za-z_*-]{10,}|\bBearer\s+[^\s"',;]+/g

/** Takes keys out of a text that a person or a log will see. */
export function scrubSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[key]')
  return clean.replace(KEY_SHAPES, '[key]')
}
