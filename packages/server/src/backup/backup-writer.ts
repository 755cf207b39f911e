import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** Compresses lines into a file that only its owner can read. Buffers a bounded number of them. */
export interface BackupWriter {
  write(lines: readonly unknown[]): Promise<void>
  /** Resolves when the last byte is on disk. `footer` receives the hash of all earlier lines. */
  finish(footer: (sha256: string) => unknown): Promise<void>
  discard(): Promise<void>
}

export function createBackupWriter(file: string): BackupWriter {
  const hash = createHash('sha256')
  const gzip = createGzip()
  const written = pipeline(gzip, createWriteStream(file, { flags: 'w', mode: 0o600, flush: true }))
  // A full disk is reported by the next `write` or `finish`; until then nothing awaits this promise.
  written.catch(() => {})

  const send = async (text: string) => {
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written])
  }

  return {
    async write(lines) {
      if (gzip.destroyed) await written
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      hash.update(text)
      await send(text)
    },
    async finish(footer) {
      gzip.end(`${JSON.stringify(footer(hash.digest('hex')))}\n`)
      await written
    },
    async discard() {
      gzip.destroy()
      // Destroying the stream rejects this promise; only its end matters here.
      await written.catch(() => {})
    },
  }
}
