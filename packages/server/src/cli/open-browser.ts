import { spawn } from 'node:child_process'

/** Shows an address in the desktop's browser. Nothing depends on it, so nothing is said when it does not work. */
export function openBrowser(url: string): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true })
  child.once('error', () => {})
  child.unref()
}
