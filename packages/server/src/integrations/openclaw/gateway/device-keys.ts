import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { HostSecrets } from '../../host.ts'

/** The identity of this installation for Gateways that need more than a token. */
export interface DeviceKeys {
  /** SHA-256 of the raw public key, in hex. */
  readonly id: string
  /** PEM. */
  readonly publicKey: string
  /** PEM. */
  readonly privateKey: string
}

const SECRET = 'device-key'

/** Created at the first call and stored in the vault, so it never changes. */
export async function deviceKeys(secrets: HostSecrets): Promise<DeviceKeys> {
  const kept = await secrets.read(SECRET)
  if (kept !== null) return keysOf(kept)
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await secrets.store(SECRET, pem)
  return keysOf(pem)
}

function keysOf(privateKey: string): DeviceKeys {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  return { id: createHash('sha256').update(rawKey(publicKey)).digest('hex'), publicKey, privateKey }
}

export function signWith(privateKey: string, payload: string): string {
  return sign(null, Buffer.from(payload), createPrivateKey(privateKey)).toString('base64url')
}

/** The raw 32 bytes, base64url. */
export function publicKeyOf(publicKey: string): string {
  return rawKey(publicKey).toString('base64url')
}

/** The last 32 bytes of the DER form are the key itself. */
function rawKey(publicKey: string): Buffer {
  return createPublicKey(publicKey).export({ type: 'spki', format: 'der' }).subarray(-32)
}
