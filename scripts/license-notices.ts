import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Plugin } from 'vite'

/** Writes the licences of all packages in a bundle next to the bundle, as those licences require. */
export function licenseNotices(fileName: string): Plugin {
  let root = ''
  return {
    name: 'license-notices',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    generateBundle(_, bundle) {
      const files = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? part.moduleIds : part.originalFileNames.map((name) => resolve(root, name)),
      )
      const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
      const source = [...folders].sort().map(noticeOf).join('\n\n---\n\n')
      this.emitFile({ type: 'asset', fileName, source: `${source}\n` })
    },
  }
}

function packageFolder(file: string): string | null {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? null
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const [file] = globSync('{LICENSE,LICENCE,UNLICENSE,license}*', { cwd: folder })
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text}`.trim()
}
