import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError, createInOrder } from '@clawboo/core'
import { writeWholeFile } from '../write-whole-file.ts'
import { absentAsNull } from './absent-file.ts'

export type OperatorToken = Awaited<ReturnType<typeof openOperatorToken>>

const TOKEN_FILE = 'token'

/**
 * The only credential of the person who runs this server, in a file that only that person can read. Created when the
 * home folder has none.
 */
export async function openOperatorToken(home: string) {
  const file = join(home, TOKEN_FILE)
  let secret = (await readToken(file)) ?? (await writeToken(file))
  let digest = sha256(secret)
  const listeners: (() => void)[] = []
  const inOrder = createInOrder()
  return {
    /** Compares in constant time. */
    matches: (candidate: string) => timingSafeEqual(sha256(candidate), digest),
    /** Derives a key from the token; rotating the token invalidates everything signed with it. */
    deriveKey: (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)),
    // One rotation at a time, so that the file and the memory always contain the same token.
    /** Replaces the token in its file and calls every `onRotate`. Only the file contains the new token. */
    rotate: () =>
      inOrder(async () => {
        secret = await writeToken(file)
        digest = sha256(secret)
        for (const listener of listeners) listener()
      }),
    onRotate: (listener: () => void) => void listeners.push(listener),
  }
}

/** Reads the token for the command line. Returns null when no server has run in this home folder. */
export async function readToken(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(absentAsNull)
  if (text === null) return null
  const token = text.trim()
  if (!/^[\w-]{43}$/.test(token)) {
    throw new ClawbooError(
      'credential_refused',
      `the token file ${file} contains no valid token; delete it and run \`clawboo start\` to create a new one`,
    )
  }
  // The file may have been copied or restored with looser permissions.
  await chmod(file, 0o600)
  return token
}

async function writeToken(file: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await writeWholeFile(file, `${token}\n`)
  return token
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
