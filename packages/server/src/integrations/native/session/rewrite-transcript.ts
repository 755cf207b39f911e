import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, open, rm } from 'node:fs/promises'
import { type RepairInputs, type RepairReport, TranscriptRepair } from './repair-transcript.ts'
import { replaceFile } from './replace-file.ts'
import { eachLine } from './transcript-lines.ts'

const NEWLINE = Buffer.from('\n')

/**
 * Replaces a transcript with its repaired version. Moves dropped lines to `<file>.broken`, and keeps the old file as
 * `<file>.bak` until the new one is in place.
 */
export async function rewriteTranscript(
  file: string,
  source: FileHandle,
  end: number,
  inputs: RepairInputs,
): Promise<RepairReport> {
  const repair = new TranscriptRepair(inputs)
  const backup = `${file}.bak`
  const aside = await openAside(`${file}.broken`)
  let report: RepairReport | undefined
  try {
    await replaceFile(file, async (fresh) => {
      const out = bufferedWriter(fresh)
      const broken = bufferedWriter(aside)
      const writeLines = async (lines: readonly string[]) => {
        for (const line of lines) await out.write(Buffer.from(`${line}\n`))
      }
      const keepAside = async (line: Buffer) => {
        await broken.write(line)
        await broken.write(NEWLINE)
      }
      const onLine = async (bytes: Buffer) => {
        const line = bytes.toString('utf8')
        const { before, line: replacement } = repair.offer(line)
        await writeLines(before)
        if (replacement === 'dropped') {
          if (line.trim() !== '') await keepAside(bytes)
        } else if (replacement === 'same') {
          await out.write(bytes)
          await out.write(NEWLINE)
        } else await writeLines([replacement.text])
      }
      await eachLine(source, end, onLine, {
        piece: (bytes) => broken.write(bytes),
        async end() {
          await broken.write(NEWLINE)
          await writeLines(repair.offer(null).before)
        },
      })
      const last = repair.end()
      await writeLines(last.after)
      report = last.report
      await out.flush()
      await broken.flush()
      await aside.sync()
      await rm(backup, { force: true })
      await link(file, backup).catch(() => copyFile(file, backup))
    })
  } finally {
    await aside.close()
  }
  await rm(backup, { force: true })
  await removeIfEmpty(`${file}.broken`)
  return report!
}

function openAside(file: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
  return open(file, flags, 0o600)
}

async function removeIfEmpty(file: string): Promise<void> {
  const handle = await open(file, constants.O_RDONLY)
  const { size } = await handle.stat()
  await handle.close()
  if (size === 0) await rm(file, { force: true })
}

function bufferedWriter(file: FileHandle): { write(bytes: Buffer): Promise<void>; flush(): Promise<void> } {
  let held: Buffer[] = []
  let heldBytes = 0
  const flush = async () => {
    if (heldBytes === 0) return
    const bytes = Buffer.concat(held)
    held = []
    heldBytes = 0
    await file.writeFile(bytes)
  }
  return {
    async write(bytes) {
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes > 1024 * 1024) await flush()
    },
    flush,
  }
}
