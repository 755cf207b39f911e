import { totalmem } from 'node:os'
import type { Limits } from './confinement.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** The bounds of one command or check. Generous for a build, far below what stops the machine. */
export const DEFAULT_LIMITS: Limits = {
  memoryBytes: Math.min(8 * GIB, Math.round(totalmem() / 2)),
  processes: 512,
  cpuSeconds: 3600,
  fileBytes: 4 * GIB,
  temporaryBytes: Math.min(512 * MIB, Math.round(totalmem() / 8)),
  freeBytes: GIB,
}
