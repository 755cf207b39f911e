import { textHash } from '../text-hash.ts'

export type DocumentKind = 'haiku' | 'poem' | 'story' | 'letter' | 'list' | 'plan' | 'note' | 'page'

/** The task in a text, as far as simple rules can find it. */
export type Task =
  | { readonly type: 'document'; readonly kind: DocumentKind; readonly topic: string; readonly path: string }
  | { readonly type: 'command'; readonly command: string }
  | { readonly type: 'command-refused'; readonly command: string }
  | { readonly type: 'read'; readonly path: string }
  | { readonly type: 'about' | 'greeting' | 'thanks' | 'stop' | 'question' | 'other' }

const KINDS: readonly (readonly [RegExp, DocumentKind])[] = [
  [/\bhaikus?\b/i, 'haiku'],
  [/\b(poems?|verses?|limericks?|songs?)\b/i, 'poem'],
  [/\b(story|stories|tale)\b/i, 'story'],
  [/\b(letter|e-?mail|message|invitation|announcement)\b/i, 'letter'],
  [/\b(plan|roadmap|schedule|strategy|agenda|outline)\b/i, 'plan'],
  [/\b(list|checklist|todos?|to-dos?|ideas)\b/i, 'list'],
  [/\b(notes?|memo|reminder)\b/i, 'note'],
  [/\b(file|page|document|doc|report|summary|readme|text|draft|guide|article|post)\b/i, 'page'],
]
const MAKE = /\b(write|make|create|draft|compose|prepare|save|put together|jot down|add)\b/i
const PLANNING = /\b(plan|organi[sz]e|roadmap|kick ?off|coordinate)\b/i
const FILE_NAME = /(?:^|[\s`"'“(])((?:[\w-]+\/)*[\w-]+\.(?:md|txt|csv|json|html|ya?ml))(?=$|[\s`"'”).,;:!?])/i
const HARMLESS = /^(?:(?:ls|echo|uname)(?: [\w.-]+)*|pwd|date|whoami)$/
/** The rules read only this much, so that a long text takes no longer. */
const READ_CHARACTERS = 20_000

export function readTask(text: string): Task {
  const request = text.slice(0, READ_CHARACTERS).trim()
  if (/^\W*(stop|cancel|never ?mind|abort|forget it|that'?s enough)\b/i.test(request)) return { type: 'stop' }
  const remembered = /\bremember(?: that)?[:,]?\s+(.+)/is.exec(request)
  if (remembered && !request.endsWith('?')) {
    const topic = remembered[1]!.trim()
    return { type: 'document', kind: 'note', topic, path: `notes/${slug(shortened(topic))}.md` }
  }
  return commandIn(request) ?? documentIn(request) ?? smallTalk(request)
}

/** Shortens to one line without the final punctuation. */
export function shortened(text: string, length = 70): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : line.replace(/[.!]+$/, '')
}

function commandIn(text: string): Task | null {
  const named = /\b(?:run|execute)\s+(?:the command\s+)?[`"“]([^`"”\n]{1,200})[`"”]/i.exec(text)
  const bare = /^\W*(?:please )?(?:run|execute)\s+([a-z][\w. -]{0,80}?)[.!]?$/i.exec(text)
  const command = (named ?? bare)?.[1]?.trim()
  if (command) return HARMLESS.test(command) ? { type: 'command', command } : { type: 'command-refused', command }
  if (/\b(list|show|count|see|which|what|how many)\b[^.?!]{0,40}\b(files|folder|directory|workspace)\b/i.test(text))
    return { type: 'command', command: 'ls' }
  if (/\b(what|which|tell me)\b.{0,20}\b(date|time|day)\b/i.test(text)) return { type: 'command', command: 'date' }
  const file =
    /\b(read|show|open|print|look at)\b/i.test(text) && !MAKE.test(text) ? FILE_NAME.exec(text)?.[1] : undefined
  return file ? { type: 'read', path: file } : null
}

function documentIn(text: string): Task | null {
  const wantsOne = (MAKE.test(text) && !/\?\s*$/.test(text)) || /\b(can|could|would|will) you\b/i.test(text)
  const kind = KINDS.find(([words]) => words.test(text))?.[1] ?? (FILE_NAME.test(text) ? 'page' : undefined)
  if (kind && wantsOne && (MAKE.test(text) || kind === 'plan')) return documentOf(kind, text)
  if (PLANNING.test(text) && !/^\W*(what|why|how|when|who|which)\b/i.test(text)) return documentOf('plan', text)
  return null
}

function documentOf(kind: DocumentKind, text: string): Task {
  const file = FILE_NAME.exec(text)?.[1]
  const topic = topicOf(text, kind)
  return {
    type: 'document',
    kind,
    topic,
    path: file ? safeName(file) : `${kind}-${slug(topic.replace(/^(?:the|an?|our|my|your)\s+(?=\S)/i, ''))}.md`,
  }
}

/** Files in capitals control agents; the demo writes a draft beside them. */
function safeName(file: string): string {
  return /(^|\/)[A-Z_-]+\.md$/.test(file) ? file.toLowerCase().replace(/\.md$/, '-draft.md') : file
}

function topicOf(text: string, kind: DocumentKind): string {
  const sentence = text.split(/[\n?!]|\.(?=\s|$)/).find((part) => part.trim() !== '') ?? ''
  const clean = sentence.replace(/\b(?:in|into|to|called|named|as)\s+(?:(?:a|the) file\s+)?\S+\.\w{2,4}\b/i, '')
  const named = /:\s*(\S.*)$/.exec(clean)?.[1]
  const about = /\b(?:about|on|for|of|regarding|with)\s+(.+)$/i.exec(clean)?.[1]
  const verb = /\b(?:plan|organi[sz]e|kick ?off|coordinate|prepare)\s+(.+)$/i.exec(clean)?.[1]
  const found = named ?? about ?? (kind === 'plan' ? verb : undefined) ?? (kind === 'note' ? clean : '')
  return shortened(found, 60) || 'a good start'
}

function slug(text: string): string {
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '')
  // Two topics in another script would otherwise share one file.
  return /[^\p{ASCII}]/u.test(text) || words === '' ? `${words || 'text'}-${textHash(text).toString(36)}` : words
}

function smallTalk(text: string): Task {
  if (/^\W*(thanks?|thank you|great|cool|nice|perfect|ok(ay)?)\b/i.test(text) && text.length < 60)
    return { type: 'thanks' }
  if (
    /\b(who|what) are you\b|\bwhat can you\b|\bwhat do you do\b|\bare you (an? )?(ai|real|bot)|^\W*help\b/i.test(text)
  )
    return { type: 'about' }
  if (/^\W*(hi|hello|hey|good (morning|evening|afternoon)|moin|yo)\b/i.test(text) && text.length < 80)
    return { type: 'greeting' }
  const isQuestion = /\?\s*$|^\W*(what|why|how|when|who|which|where|is|are|do|does|can|could|should)\b/i.test(text)
  return { type: isQuestion ? 'question' : 'other' }
}
