import { platform } from 'node:os'
import { openBubblewrap } from './bubblewrap/open-bubblewrap.ts'
import type { Confinement } from './confinement.ts'

/** One confiner for each operating system that has one. */
const CONFINERS: Readonly<Record<string, typeof openBubblewrap>> = { linux: openBubblewrap }

/** Finds out whether and how children can be confined here. */
export async function openConfinement(options: Parameters<typeof openBubblewrap>[0]): Promise<Confinement> {
  const open = CONFINERS[platform()]
  if (open) return open(options)
  return { isOn: false, reason: 'Clawboo can confine programs on Linux only.', fix: null }
}
