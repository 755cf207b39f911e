import { randomBytes } from 'node:crypto'

let lastMs = 0
let count = 0

/** A UUID of version 7 whose text sorts in order of creation, also within one millisecond and when the clock steps back. */
export function sortableId(now: number = Date.now()): string {
  if (now > lastMs) {
    lastMs = now
    count = 0
  } else if (++count > 0xfff) {
    lastMs++
    count = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const random = randomBytes(8)
  random[0] = (random[0]! & 0x3f) | 0x80
  const tail = random.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
