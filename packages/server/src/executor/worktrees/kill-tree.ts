import { readdir, readFile } from 'node:fs/promises'

const GRACE_MS = 3000

/**
 * Ends a process group, and whoever left it but descends from it or carries its mark (`NAME=value` of the environment):
 * asked first, then ended.
 */
export async function killTree(pid: number, mark: string): Promise<void> {
  const others = await membersOf(pid, mark)
  signal(-pid, 'SIGTERM')
  for (const other of others) signal(other, 'SIGTERM')
  for (let waited = 0; waited < GRACE_MS && [-pid, ...others].some((target) => signal(target, 0)); waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  for (const other of await membersOf(pid, mark)) signal(other, 'SIGKILL')
  for (const other of others) signal(other, 'SIGKILL')
  signal(-pid, 'SIGKILL')
}

function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch {
    return false
  }
}

/** By the parents that /proc names; where there is none, the group alone is known. */
async function membersOf(pid: number, mark: string): Promise<number[]> {
  const children = new Map<number, number[]>()
  const found: number[] = []
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // The name of the program may hold anything, brackets included.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    if (environment.split('\0').includes(mark)) found.push(Number(name))
  }
  for (const queue = [pid]; queue.length > 0; ) {
    const next = children.get(queue.pop()!) ?? []
    found.push(...next)
    queue.push(...next)
  }
  return found
}
