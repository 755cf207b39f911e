import { spawn } from 'node:child_process'
import type { Context } from '../command.ts'

/** Opens a URL in the desktop's browser. Ignores failures: the link is printed as well. */
export function openBrowser(url: string, env: Context['env']): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], {
    env,
    stdio: 'ignore',
    detached: true,
  })
  child.once('error', () => {})
  child.unref()
}
