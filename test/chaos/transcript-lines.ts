import { readFile, stat } from 'node:fs/promises'
import type { Message } from '../../packages/server/src/integrations/native/session/message.ts'

/** Every message of a transcript file. Throws for a line that is not JSON. */
export async function transcriptMessages(file: string): Promise<Message[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as { message?: Message }).message ?? [])
}

export async function fileSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}
