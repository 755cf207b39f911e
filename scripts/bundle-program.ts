// Bundles the server and the command line into a folder: `node scripts/bundle-program.ts <folder>`.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { root } from './build-once.ts'
import { licenseNotices } from './license-notices.ts'

export async function bundleProgram(output: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [licenseNotices('licenses.txt')],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      outDir: output,
      emptyOutDir: true,
      target: 'node24',
      // Stack traces in logs stay readable.
      minify: false,
      rolldownOptions: {
        input: { server: 'packages/server/src/main.ts', clawboo: 'packages/server/src/cli/clawboo.ts' },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  cpSync(join(root, 'packages/server/src/integrations/native/bundled-skills'), join(output, 'bundled-skills'), {
    recursive: true,
  })
}

if (import.meta.main) await bundleProgram(process.argv[2]!)
