/** The part of an output that is kept. */
export interface BoundedOutput {
  add(chunk: Buffer): void
  /** The number of bytes that were not kept. */
  omitted(): number
}

/** Keeps the first `most` bytes. */
export function keepStart(most: number): BoundedOutput & { bytes(): Buffer } {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add(chunk) {
      if (size < most) chunks.push(chunk.subarray(0, most - size))
      size += chunk.length
    },
    omitted: () => Math.max(0, size - most),
    bytes: () => Buffer.concat(chunks),
  }
}

/** Keeps the first and the last `most` bytes. */
export function keepBothEnds(most: number): BoundedOutput & { text(): string } {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let omitted = 0
  return {
    add(chunk) {
      const room = Math.max(0, most - head.length)
      head = Buffer.concat([head, chunk.subarray(0, room)])
      const rest = Buffer.concat([tail, chunk.subarray(room)])
      const surplus = Math.max(0, rest.length - most)
      omitted += surplus
      tail = rest.subarray(surplus)
    },
    omitted: () => omitted,
    text() {
      const gap = omitted > 0 ? `\n… ${omitted} bytes left out …\n` : ''
      return `${head.toString('utf8')}${gap}${tail.toString('utf8')}`
    },
  }
}
