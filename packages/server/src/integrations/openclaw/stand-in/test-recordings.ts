import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { WRITTEN_RECORDINGS } from './test-written-recordings.ts'

export type Json = Readonly<Record<string, unknown>>

/** A frame and its sender. A last frame of type `close` has code and reason. */
export interface RecordedFrame {
  readonly at: number
  readonly from: 'client' | 'gateway'
  readonly frame: Json
}

export interface Recording {
  readonly version: string
  readonly name: string
  readonly frames: readonly RecordedFrame[]
}

const FOLDER = join(import.meta.dirname, '../recordings')

/** The recorded Gateway releases, newest last. */
export function recordedVersions(): readonly string[] {
  return readdirSync(FOLDER).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
}

export function newestVersion(): string {
  return recordedVersions().at(-1)!
}

/** All recordings of a release, without those in which a task of the Gateway's worker timed out. */
export function recordingsOf(version: string): readonly Recording[] {
  return globSync(join(FOLDER, version, '*.jsonl'))
    .map((file) => readRecording(version, basename(file, '.jsonl')))
    .filter(({ frames }) => !JSON.stringify(frames).includes('worker task timed out'))
}

/** The recording with that name, or else a hand-written one. */
export function findRecording(version: string, name: string): Recording | null {
  if (existsSync(join(FOLDER, version, `${name}.jsonl`))) return readRecording(version, name)
  const frames = Object.hasOwn(WRITTEN_RECORDINGS, name) ? WRITTEN_RECORDINGS[name] : undefined
  return frames ? { version, name, frames } : null
}

function readRecording(version: string, name: string): Recording {
  const lines = readFileSync(join(FOLDER, version, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return { version, name, frames: lines.map((line) => JSON.parse(line) as RecordedFrame) }
}

/** The client's requests, in order. */
export function requestsIn({ frames }: Recording, method: string): readonly Json[] {
  return frames
    .filter(({ from, frame }) => from === 'client' && frame.method === method)
    .map(({ frame }) => frame.params as Json)
}

/** The broadcasts, as the connection reports them. */
export function broadcastsIn({ frames }: Recording): readonly { readonly event: string; readonly payload: Json }[] {
  return frames.flatMap(({ from, frame }) =>
    from === 'gateway' && frame.type === 'event'
      ? [{ event: String(frame.event), payload: (frame.payload ?? {}) as Json }]
      : [],
  )
}

/** The rows of the last read; empty when it was not answered. */
export function rowsIn({ frames }: Recording): readonly Json[] {
  const asked = frames.findLast(({ from, frame }) => from === 'client' && frame.method === 'chat.history')
  const answer = asked && frames.find(({ frame }) => frame.type === 'res' && frame.id === asked.frame.id)
  return ((answer?.frame.payload as Json | undefined)?.messages ?? []) as readonly Json[]
}

/** The agent's texts in the rows, without texts by the Gateway itself. Older rows name no run. */
export function textsIn(recording: Recording, isOf: (runId: string) => boolean = () => true): readonly string[] {
  return rowsIn(recording)
    .filter(({ role, idempotencyKey }) => role === 'assistant' && idempotencyKey === undefined)
    .filter(({ __openclaw: more }) => (more as Json).runId === undefined || isOf(String((more as Json).runId)))
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []))
    .flatMap(({ type, text }) => (type === 'text' ? [String(text).trim()] : []))
    .filter((text) => text !== '')
}
