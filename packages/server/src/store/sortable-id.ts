import { randomFillSync } from 'node:crypto'

let lastMs = 0
let count = 0

/** Random bytes for many ids, because one system call per id costs as much as writing a row. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** Returns a UUID of version 7. The text sorts in order of creation, even within one millisecond and after the clock moved back. */
export function sortableId(now: number = Date.now()): string {
  if (now > lastMs) {
    lastMs = now
    count = 0
  } else if (++count > 0xfff) {
    lastMs++
    count = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  pool[used] = (pool[used]! & 0x3f) | 0x80
  const tail = pool.toString('hex', used, used + 8)
  used += 8
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
