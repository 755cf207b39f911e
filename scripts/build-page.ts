import { join } from 'node:path'
import { buildOnce, digestOf, root } from './build-once.ts'

const SOURCES = [
  'packages/web/{src,public}/**/*',
  'packages/web/{index.html,package.json,vite.config.ts}',
  'packages/{api,core}/src/**/*.ts',
  'scripts/license-notices.ts',
  'package-lock.json',
]

/** Resolves to the folder of the page. */
export function buildPage(): Promise<string> {
  const folder = join(root, 'packages/web')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  return buildOnce({
    name: 'the page',
    output: join(folder, 'dist'),
    digest: digestOf(SOURCES),
    command: (output) => [vite, 'build', folder, '--outDir', output, '--emptyOutDir', '--logLevel', 'error'],
  })
}
