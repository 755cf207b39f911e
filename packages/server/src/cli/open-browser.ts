import { spawn } from 'node:child_process'
import type { Context } from './command.ts'

/** Shows an address in the desktop's browser. Nothing depends on it, so nothing is said when it does not work. */
export function openBrowser(url: string, env: Context['env']): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], {
    env,
    stdio: 'ignore',
    detached: true,
  })
  child.once('error', () => {})
  child.unref()
}
