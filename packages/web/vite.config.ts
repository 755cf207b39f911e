import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { licenseNotices } from '../../scripts/license-notices.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), licenseNotices('licenses.txt'), gzipBeside()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2023',
    reportCompressedSize: false,
    // The editor is one large chunk that loads when a file is opened. The first load has its own limit, with a test.
    chunkSizeWarningLimit: 1000,
  },
})

/** Writes `<file>.gz` beside every text asset, so that the server never has to compress one. */
function gzipBeside(): Plugin {
  let outDir = ''
  return {
    name: 'gzip-beside',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir)
    },
    closeBundle() {
      for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg|json)$/.test(name)) continue
        const file = join(outDir, name)
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
      }
    },
  }
}
