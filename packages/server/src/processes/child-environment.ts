import { isAbsolute } from 'node:path'

/** The variables that a child inherits from the server. They contain no key and no token. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR'] as const

/** The whole environment of a child: the allowed part of the server's, and `own`, which takes precedence. */
export function childEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of INHERITED) {
    const value = server[name]
    if (value !== undefined) env[name] = name === 'PATH' ? absoluteEntries(value) : value
  }
  return Object.assign(env, own)
}

/** Drops relative entries: with one, the working directory of a child could supply its own `git` or `sh`. */
function absoluteEntries(path: string): string {
  return path.split(':').filter(isAbsolute).join(':')
}
