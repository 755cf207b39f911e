/** Parses JSON with comments, trailing commas and bare keys. Returns null when it cannot be read. */
export function parseLooseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    try {
      return JSON.parse(tightened(source))
    } catch {
      return null
    }
  }
}

const PIECE =
  /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])|[A-Za-z_$][\w$]*(?=\s*:)/g

function tightened(source: string): string {
  const bare = source.replace(PIECE, (piece) => (piece.startsWith('//') || piece.startsWith('/*') ? ' ' : piece))
  return bare.replace(PIECE, (piece) => {
    if (piece === ',') return ''
    if (piece.startsWith("'")) return JSON.stringify(piece.slice(1, -1).replaceAll("\\'", "'"))
    return piece.startsWith('"') ? piece : JSON.stringify(piece)
  })
}
