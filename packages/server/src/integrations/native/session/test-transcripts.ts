import { parseLine, type StoredEntry } from './entry.ts'
import { createPathCollector, type LiveContext } from './model-context.ts'
import { createTranscriptRepair, type RepairInputs, type RepairReport } from './repair-transcript.ts'

/** The whole of a small transcript at once. */
export function repairTranscript(
  text: string,
  inputs: RepairInputs,
): { readonly text: string; readonly dropped: readonly string[]; readonly report: RepairReport } {
  const repair = createTranscriptRepair(inputs)
  const lines = text.split('\n')
  const rest = lines.pop()!
  const unfinishedLine = rest !== '' && parseLine(rest) === null
  if (rest !== '' && !unfinishedLine) lines.push(rest)
  const kept: string[] = []
  const dropped: string[] = []
  for (const line of lines) {
    const { before, line: fate } = repair.offer(line)
    kept.push(...before)
    if (fate === 'dropped') dropped.push(line)
    else kept.push(fate === 'same' ? line : fate.text)
  }
  const { after, report } = repair.end()
  kept.push(...after)
  return {
    text: kept.map((line) => `${line}\n`).join(''),
    dropped: dropped.filter((line) => line.trim() !== ''),
    report: { ...report, unfinishedLine },
  }
}

/** The context of a whole transcript, oldest entry first. */
export function contextOf(entries: readonly StoredEntry[], leafId?: string): LiveContext {
  const path = createPathCollector(leafId)
  for (let at = entries.length - 1; at >= 0; at--) if (path.offer(entries[at]!) === 'last') break
  return path.finish()
}
