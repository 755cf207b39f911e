import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { Context } from 'hono'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const

/** Serves the built page. Every path that is not a file gets the page itself, whose router handles the rest. */
export function createStaticPage(folder: string): (context: Context) => Promise<Response> {
  return async (context) => {
    const path = context.req.path
    const isAsset = /^\/(?:[\w-]+\/)*[\w.-]+\.\w+$/.test(path)
    const file = isAsset && TYPES[extname(path)] ? path : '/index.html'
    const packed = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '')
    const bytes =
      (packed ? await readIfThere(join(folder, `${file}.gz`)) : null) ?? (await readIfThere(join(folder, file)))
    const isPacked = packed && bytes !== null && bytes[0] === 0x1f && bytes[1] === 0x8b
    if (bytes === null) {
      if (file === path) throw new ClawbooError('route_not_found', `nothing is served at ${path}`)
      return context.text('The page is not built. Run `npm start` in the project folder, or `npm run build`.', 503)
    }
    return context.body(new Uint8Array(bytes), 200, {
      ...PAGE_HEADERS,
      'content-type': TYPES[extname(file)]!,
      // Asset names contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    })
  }
}

/** `path` contains no `..` and no empty segment: the pattern above excludes both. */
async function readIfThere(file: string): Promise<Buffer | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null
    throw error
  })
}
