import { isObject, type ToolDescriptor } from './tool-descriptor.ts'
import { hasUnseenCharacters, visibleText } from './visible-text.ts'

/**
 * instruction: tells the model to do more than use the tool. hidden: contains text that a person does not see.
 * shadowing: imitates another tool, or says how others are used. exfiltration: asks for data that should not leave.
 */
const FINDING_KINDS = ['instruction', 'hidden', 'shadowing', 'exfiltration'] as const

export type FindingKind = (typeof FINDING_KINDS)[number]

export interface Finding {
  readonly kind: FindingKind
  /** `name`, `description`, or a path within the schema. */
  readonly where: string
  /** The text in question, with invisible characters shown. */
  readonly excerpt: string
}

const MOST_FINDINGS = 50
const EXCERPT_CHARACTERS = 120

/**
 * Searches a descriptor for suspicious text. The findings help the person who approves and are no defence: a tool
 * without findings still needs an approval.
 */
export function scanDescriptor(descriptor: ToolDescriptor, otherTools: readonly string[]): readonly Finding[] {
  const findings: Finding[] = []
  const others = otherTools.map((name) => name.toLowerCase())
  if (others.includes(descriptor.name.toLowerCase()))
    findings.push({ kind: 'shadowing', where: 'name', excerpt: descriptor.name })
  for (const { where, text, isKey } of wordsOf(descriptor)) {
    if (hasUnseenCharacters(text) || HIDDEN.test(text) || mixesAlphabets(text))
      findings.push({ kind: 'hidden', where, excerpt: excerpt(text) })
    const plain = plainly(text)
    for (const [kind, patterns] of PATTERNS) {
      const found = patterns.map((pattern) => pattern.exec(plain)).find((match) => match !== null)
      if (found) findings.push({ kind, where, excerpt: excerpt(found[0]) })
    }
    if (isKey && TELLING_ARGUMENT.test(plain)) findings.push({ kind: 'exfiltration', where, excerpt: excerpt(plain) })
    const named = others.find((name) => isDistinctive(name) && hasWord(plain, name))
    if (named !== undefined && where !== 'name') findings.push({ kind: 'shadowing', where, excerpt: named })
    if (findings.length >= MOST_FINDINGS) break
  }
  return findings.slice(0, MOST_FINDINGS)
}

/** Each kind of finding once; an approval must name them all. */
export function kindsOf(findings: readonly Finding[]): readonly FindingKind[] {
  return FINDING_KINDS.filter((kind) => findings.some((finding) => finding.kind === kind))
}

const SECRETS =
  '(?:passwords?|secrets?|credentials?|private keys?|ssh keys?|(?:api|access|auth|bearer|session)[ _-]?(?:keys?|tokens?)|' +
  'environment variables?|env vars?|(?:chat|conversation|message) (?:history|log)|(?:whole|entire|full|previous|prior) ' +
  '(?:conversation|messages?|context|chat)|system (?:prompt|message))'

const PATTERNS: readonly (readonly [FindingKind, readonly RegExp[]])[] = [
  [
    'instruction',
    [
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|safety)\b/s,
      /\b(?:do not|don'?t|never|must not|should not)\s+(?:\w+\s+){0,2}?(?:tell|mention|inform|reveal|notify|alert|warn|ask|show)\b.{0,30}\b(?:user|operator|human|person|anyone|anybody)\b/s,
      /\bwithout\s+(?:\w+\s+){0,2}?(?:telling|asking|informing|notifying|mentioning)\b/s,
      /\b(?:hide|conceal|keep)\s+(?:this|it)\b.{0,20}\b(?:from|secret)\b/s,
      /\byou\s+(?:must|have to|are required to|are now|will now)\b(?:\s+(?:always|first|also|then|now))?\s+(?:call|use|run|invoke|execute|read|send|open|act|include|a|an|the)\b/s,
      /\b(?:new|real|actual|updated|secret)\s+(?:system\s+)?instructions?\s*(?::|are\b|for you)/s,
      /\b(?:before|after|prior to|when(?:ever)?|every time|each time)\b.{0,40}\b(?:any|all|every|each|other|another)\b.{0,20}\btools?\b/s,
      /<\/?\s*(?:important|system|instructions?|assistant|user|admin|secret|tool_call)\s*>|\[\/?(?:inst|system)\]|<\|\w+\|>/s,
      /(?:^|\n)\s*(?:system|assistant|user)\s*:/s,
      /\b(?:pretend|act as if|roleplay|you are (?:an?|the) (?:admin|root|developer|unrestricted))\b/s,
    ],
  ],
  [
    'shadowing',
    [
      /\b(?:instead of|rather than|in place of|replaces?|supersedes?|overrides?|preferred over|deprecates?)\b.{0,40}\b(?:tools?|functions?|servers?)\b/s,
      /\b(?:other|all|any)\s+(?:\w+\s+){0,2}tools?\b.{0,30}\b(?:broken|deprecated|unsafe|disabled|outdated|forbidden)\b/s,
    ],
  ],
  [
    'exfiltration',
    [
      new RegExp(
        `\\b(?:send|upload|post|forward|append|attach|include|embed|put|pass|copy|provide|collect|read|paste|encode|report)(?:s|es|ing)?\\b.{0,80}\\b${SECRETS}\\b`,
        's',
      ),
      /(?:~\/|\$home\/|\/home\/|\/root\/|\.)(?:ssh|aws|gnupg|kube|netrc|npmrc|config\/gcloud)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)|(?:^|[\s"'`/])\.env\b|\b(?:mcp|claude_desktop_config)\.json\b/s,
      /\bhttps?:\/\/\S{0,100}[?&]\S{0,100}=\s?(?:[{<$]|%7b)|!\[[^\]]{0,100}\]\(\s?https?:/s,
      /\b(?:contents?|full text)\s+of\s+(?:the\s+|all\s+|any\s+)?(?:files?|documents?|workspace|repository)\b.{0,60}\b(?:here|parameter|argument|field)\b/s,
    ],
  ],
]

/** Comments, long encoded text, and text pushed out of sight. */
const HIDDEN = /<!--|\/\*[^*]{20}|[A-Za-z\d+/=_-]{160,}| {200,}|\n{20,}/

/** Detects letters from another alphabet, which spell words that no pattern finds. */
function mixesAlphabets(text: string): boolean {
  const words = text.match(/\p{L}{4,}/gu) ?? []
  return words.some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))
}

/** Names of arguments through which a model would reveal its instructions or conversation. */
const TELLING_ARGUMENT =
  /^(?:system[ _-]?prompt|(?:chat|conversation|message)[ _-]?history|chain[ _-]?of[ _-]?thought|tools?[ _-]?list|side[ _-]?note|model[ _-]?instructions?)$/

interface Words {
  readonly where: string
  readonly text: string
  readonly isKey: boolean
}

function wordsOf({ name, description, inputSchema }: ToolDescriptor): Words[] {
  const words: Words[] = [
    { where: 'name', text: name, isKey: false },
    { where: 'description', text: description, isKey: false },
  ]
  const walk = (value: unknown, where: string) => {
    if (typeof value === 'string') words.push({ where, text: value, isKey: false })
    else if (Array.isArray(value)) for (const [at, inner] of value.entries()) walk(inner, `${where}[${at}]`)
    else if (isObject(value))
      for (const [key, inner] of Object.entries(value)) {
        words.push({ where: `${where}.${visibleText(key)}`, text: key, isKey: true })
        walk(inner, `${where}.${visibleText(key)}`)
      }
  }
  walk(inputSchema, 'inputSchema')
  return words
}

/** Normalises text to what a model reads: without invisible characters, wide letters, case or spaced-out letters. */
function plainly(text: string): string {
  return visibleText(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/\b(?:\p{L}[ .\-_]){4,}\p{L}\b/gu, (spaced) => spaced.replace(/[ .\-_]/g, ''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/[*_`~]{2,}/g, '')
}

/** A name such as `search` is also an ordinary word; a compound name is meant as a name. */
function isDistinctive(name: string): boolean {
  return /[a-z\d][_.-][a-z\d]/.test(name) && name.length >= 6
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`
    if (!/[a-z\d_-]/.test(around)) return true
  }
  return false
}

function excerpt(text: string): string {
  const seen = visibleText(text).replace(/\s+/g, ' ').trim()
  return seen.length <= EXCERPT_CHARACTERS
    ? seen
    : `${seen.slice(0, EXCERPT_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
