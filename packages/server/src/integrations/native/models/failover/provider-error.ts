/** The facts in an error of a model call, from any source. */
export interface ProviderError {
  readonly status: number | null
  /** The vendor's message, cut to a readable length. */
  readonly text: string
  /** The message with the vendor's codes and types, for searching known words. */
  readonly words: string
  readonly isBodyless: boolean
  readonly retryAfterMs: number | null
  readonly isNetwork: boolean
  readonly isTimeout: boolean
  /** Retrying cannot help: a wrong address, a redirect, a certificate. */
  readonly isSetupMistake: boolean
  /** A protocol package could not build the request. */
  readonly isOurMistake: boolean
  readonly isMissingKey: boolean
}

interface ErrorFields {
  readonly name?: unknown
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly responseBody?: unknown
  readonly responseHeaders?: unknown
  readonly cause?: unknown
  readonly code?: unknown
  readonly type?: unknown
}

const LONGEST_TEXT = 500
const NETWORK_CODE =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH|NETDOWN)|UND_ERR_SOCKET|UND_ERR_CLOSED|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT)$/
const SETUP_CODE = /^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_INVALID_URL)/
const SETUP_TEXT = /unexpected redirect|bad port|invalid url|failed to parse url|unsupported protocol/i
const NETWORK_TEXT = /fetch failed|cannot connect to api|terminated|socket hang up|other side closed|network error/i
const OUR_MISTAKES = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_UnsupportedFunctionalityError',
  'TypeError',
])
/** Errors of packages about an incomplete answer. */
const BROKEN_ANSWERS = new Set([
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_NoContentGeneratedError',
])
const KEY_MISTAKES = new Set(['AI_LoadAPIKeyError', 'AI_LoadSettingError'])

/** Reads an error of any shape: package errors, plain objects in a stream, network errors, texts. Never throws. */
export function readProviderError(error: unknown, now: number, secrets: readonly string[] = []): ProviderError {
  const fields: ErrorFields = typeof error === 'object' && error !== null ? error : { message: String(error) }
  const body = typeof fields.responseBody === 'string' ? fields.responseBody : ''
  const fromBody = readBody(body)
  const causes = causeChain(fields)
  const own = wordOf(fields.message)
  const text = fromBody.text || (looksLikePage(body) ? 'the server answered with a web page' : plainText(own, causes))
  const codes = causes.map((cause) => wordOf(cause.code))
  const allText = causes.map((cause) => wordOf(cause.message)).join(' ')
  const isSetupMistake = codes.some((code) => SETUP_CODE.test(code)) || SETUP_TEXT.test(allText)
  const status = typeof fields.statusCode === 'number' ? fields.statusCode : null
  const isNetwork =
    isSetupMistake ||
    BROKEN_ANSWERS.has(wordOf(fields.name)) ||
    codes.some((code) => NETWORK_CODE.test(code)) ||
    NETWORK_TEXT.test(allText)
  return {
    status,
    // Scrub before shortening: half a key at the cut would not be recognised.
    text: shortened(scrubSecrets(text, secrets)),
    words: [text, fromBody.codes, fields.type, fields.code].filter((word) => typeof word === 'string').join(' '),
    isBodyless: body.trim() === '' && status !== null,
    retryAfterMs: retryAfter(fields.responseHeaders, body, now),
    isNetwork,
    isTimeout: codes.some((code) => TIMEOUT_CODE.test(code)) || causes.some((cause) => cause.name === 'TimeoutError'),
    isSetupMistake,
    isOurMistake: !isNetwork && OUR_MISTAKES.has(wordOf(fields.name)),
    isMissingKey: KEY_MISTAKES.has(wordOf(fields.name)),
  }
}

/** `{error:{message,type,code}}`, `{error:"text"}`, `{message}`, `{detail}` and lists of them. */
function readBody(body: string): { readonly text: string; readonly codes: string } {
  const parsed = parseObject(body)
  if (parsed === null) return { text: body.length < LONGEST_TEXT && !looksLikePage(body) ? body.trim() : '', codes: '' }
  const inner = parsed.error ?? parsed
  const holder = (typeof inner === 'object' && inner !== null ? inner : {}) as Record<string, unknown>
  const candidates = [
    inner,
    holder.message,
    parsed.message,
    firstDetail(parsed.detail),
    firstDetail(parsed.errors),
    holder.code,
  ]
  const text = candidates.find((candidate) => typeof candidate === 'string' && candidate !== '') as string | undefined
  const codes = [holder.type, holder.code, holder.status, parsed.type, parsed.code]
  return { text: text ?? '', codes: codes.filter((code) => typeof code === 'string').join(' ') }
}

function firstDetail(detail: unknown): unknown {
  const first: unknown = Array.isArray(detail) ? detail[0] : detail
  if (typeof first !== 'object' || first === null) return first
  const { msg, message } = first as { msg?: unknown; message?: unknown }
  return msg ?? message
}

function parseObject(body: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body)
    const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    return typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function causeChain(error: ErrorFields): ErrorFields[] {
  const chain: ErrorFields[] = []
  let at: unknown = error
  while (typeof at === 'object' && at !== null && chain.length < 5) {
    chain.push(at as ErrorFields)
    at = (at as ErrorFields).cause
  }
  return chain
}

/** The innermost cause has the details; the outer errors only report that something failed. */
function plainText(own: string, causes: readonly ErrorFields[]): string {
  const inner = causes.at(-1)
  return typeof inner?.message === 'string' && inner.message !== '' ? inner.message : own
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : '')
const looksLikePage = (text: string) => /^\s*<(?:!doctype|html|head|\?xml)/i.test(text)
const shortened = (text: string) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text)

/** Milliseconds to wait, from the headers or from the body of Google's errors. */
function retryAfter(headers: unknown, body: string, now: number): number | null {
  const found = (typeof headers === 'object' && headers !== null ? headers : {}) as Record<string, unknown>
  const exact = Number(found['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return exact
  const header = found['retry-after']
  if (typeof header === 'string' && header.trim() !== '') {
    const seconds = Number(header)
    const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now
    if (Number.isFinite(wait)) return Math.max(0, wait)
  }
  const inBody = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)
  return inBody === null ? null : Number(inBody[1]) * 1000
}

/** Keys in the formats of the vendors, including keys partly masked with asterisks in error texts. */
const KEY_SHAPES = /\b(?:sk|pk|rk|xai|gsk|hf)[-_][A-Za-z0-9_*-]{6,}|\bAIza[0-9A-Za-z_*-]{10,}|\bBearer\s+[^\s"',;]+/g

/** Removes keys from a text for a person or a log. */
export function scrubSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[key]')
  return clean.replace(KEY_SHAPES, '[key]')
}
