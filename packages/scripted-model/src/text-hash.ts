/** A small number that depends only on the text (FNV-1a). For choosing and naming, not for secrets. */
export function textHash(text: string, seed = 0x811c9dc5): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
