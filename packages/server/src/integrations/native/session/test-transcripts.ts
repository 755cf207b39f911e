import { parseLine, type StoredEntry } from './entry.ts'
import { createPathCollector, type LiveContext } from './model-context.ts'
import { type RepairInputs, type RepairReport, TranscriptRepair } from './repair-transcript.ts'

/** Repairs a small transcript in memory. */
export function repairTranscript(
  text: string,
  inputs: RepairInputs,
): { readonly text: string; readonly dropped: readonly string[]; readonly report: RepairReport } {
  const repair = new TranscriptRepair(inputs)
  const lines = text.split('\n')
  const rest = lines.pop()!
  const unfinishedLine = rest !== '' && parseLine(rest) === null
  if (rest !== '' && !unfinishedLine) lines.push(rest)
  const kept: string[] = []
  const dropped: string[] = []
  for (const line of lines) {
    const { before, line: replacement } = repair.offer(line)
    kept.push(...before)
    if (replacement === 'dropped') dropped.push(line)
    else kept.push(replacement === 'same' ? line : replacement.text)
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
