import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { scrubSecrets } from './provider-error.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const classify = (error: unknown, rest: Partial<Parameters<typeof classifyFailure>[1]> = {}) =>
  classifyFailure(error, { aborted: false, now, ...rest })
const http = (statusCode: number, body: unknown = { error: { message: 'no' } }, responseHeaders = {}) => ({
  name: 'AI_APICallError',
  message: 'status text',
  statusCode,
  responseHeaders,
  responseBody: typeof body === 'string' ? body : JSON.stringify(body),
})
const kind = (error: unknown) => classify(error).kind

test('[NR243] the kind of a failure is derived from the status and the vendor’s text', () => {
  const table: [unknown, string][] = [
    [http(401), 'auth'],
    [http(403), 'auth'],
    [
      http(400, { error: { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }),
      'auth',
    ],
    [http(402), 'billing'],
    [http(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }), 'billing'],
    [http(400, { error: { message: 'Your credit balance is too low to access the API' } }), 'billing'],
    [http(429), 'rate_limit'],
    [
      http(429, { error: { message: 'Quota exceeded for metric: requests per minute', status: 'RESOURCE_EXHAUSTED' } }),
      'rate_limit',
    ],
    [http(403, { message: 'API rate limit exceeded' }), 'rate_limit'],
    [http(529, { error: { type: 'overloaded_error', message: 'Overloaded' } }), 'overloaded'],
    [http(503), 'overloaded'],
    [http(502, '<html><body>Bad gateway</body></html>'), 'overloaded'],
    [http(500), 'overloaded'],
    [http(500, { error: 'model requires more system memory (8 GiB) than is available' }), 'unknown'],
    [http(504), 'timeout'],
    [http(408), 'timeout'],
    [http(404), 'unknown'],
    [
      http(403, { error: { message: 'Project p does not have access to model gpt-x', code: 'model_not_found' } }),
      'unknown',
    ],
    [http(400, { error: { message: 'foo/bar is not a valid model ID' } }), 'unknown'],
    [http(400), 'format'],
    [http(422, { detail: [{ msg: 'field required' }] }), 'format'],
    [http(400, ''), 'context_overflow'],
    [http(413, ''), 'context_overflow'],
    [{ message: 'Overloaded', type: 'overloaded_error' }, 'overloaded'],
    [{ message: 'Slow', type: 'rate_limit_error' }, 'rate_limit'],
    [{ message: 'no', code: 'insufficient_quota' }, 'billing'],
    [{ message: 'bad', type: 'invalid_request_error' }, 'format'],
    [{ name: 'AI_LoadAPIKeyError', message: 'missing' }, 'auth'],
    [{ name: 'AI_UnsupportedFunctionalityError', message: 'media type' }, 'format'],
    [new TypeError('Cannot read properties of undefined'), 'format'],
    [new Error('what?'), 'unknown'],
    ['a text', 'unknown'],
    [null, 'unknown'],
  ]
  expect(table.map(([error]) => kind(error))).toEqual(table.map(([, expected]) => expected))
})

test('[NR243] a failed connection is a network failure and retryable unless the address is wrong', () => {
  const fetchFailed = (code: string) =>
    Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(`connect ${code}`), { code }) })
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'UND_ERR_SOCKET'])
    expect(classify(fetchFailed(code))).toMatchObject({ kind: 'network', retryable: true, status: null })
  for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
    expect(classify(fetchFailed(code))).toMatchObject({ kind: 'timeout', retryable: true })
  for (const cause of ['unexpected redirect', 'bad port'])
    expect(classify(Object.assign(new TypeError('fetch failed'), { cause: new Error(cause) }))).toMatchObject({
      kind: 'network',
      retryable: false,
    })
  expect(classify(fetchFailed('DEPTH_ZERO_SELF_SIGNED_CERT'))).toMatchObject({ kind: 'network', retryable: false })
  const cut = {
    name: 'AI_APICallError',
    message: 'Failed to process',
    statusCode: 200,
    cause: new TypeError('terminated'),
  }
  expect(classify(cut)).toMatchObject({ kind: 'network', retryable: true })
})

test('[NR243] the message contains the provider’s own text, whatever the shape of the body', () => {
  for (const body of [
    { error: 'the very words' },
    { error: { message: 'the very words' } },
    { message: 'the very words' },
    { detail: 'the very words' },
    { detail: [{ msg: 'the very words' }] },
    [{ error: { message: 'the very words' } }],
    'the very words',
  ])
    expect(classify(http(400, body)).message).toContain('the very words')
  expect(classify(http(502, '<!doctype html><h1>x</h1>')).message).not.toContain('<h1>')
  expect(classify(http(400, { message: 'x'.repeat(5000) })).message.length).toBeLessThan(600)
})

test('[NR232] an aborted signal takes precedence over any error', () => {
  const errors = [
    http(500),
    new Error('custom reason'),
    { statusCode: 200, message: 'Failed to process successful response' },
  ]
  for (const error of errors)
    expect(classify(error, { aborted: true })).toMatchObject({ kind: 'aborted', aborted: true, retryable: false })
})

const OVERFLOWS = [
  'prompt is too long: 213462 tokens > 200000 maximum',
  'Your input exceeds the context window of this model',
  'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
  'Please reduce the length of the messages or completion',
  'This endpoint’s maximum context length is 32768 tokens. However, you requested about 40000',
  'The input (516368 tokens) is longer than allowed: `inputs` tokens + `max_new_tokens` must be <= 4097',
  'the request exceeds the available context size, try increasing it',
  'tokens to keep from the initial prompt is greater than the context length',
  'prompt token count of 90000 exceeds the limit of 64000',
  'invalid params, context window exceeds limit',
  'Your request exceeded model token limit: 8192 (requested: 9000)',
  'Prompt contains 42000 tokens, too large for model with 32768 maximum context length',
  'prompt too long; exceeded max context length by 100 tokens',
]

test('[NR244] an overflow is recognised in the error texts of vendors and local servers', () => {
  for (const message of OVERFLOWS) {
    expect([message, kind(http(400, { error: { message } }))]).toEqual([message, 'context_overflow'])
    expect([message, kind({ message, type: 'invalid_request_error' })]).toEqual([message, 'context_overflow'])
  }
})

test('[NR244] texts about tokens per time mean a rate limit, even if they mention size', () => {
  const message =
    'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000, reduce the length of the messages'
  for (const status of [413, 429, 400]) expect(kind(http(status, { error: { message } }))).toBe('rate_limit')
  expect(kind({ message })).toBe('rate_limit')
  expect(kind(http(400, { message: 'ThrottlingException: Too many tokens in prompt, slow down' }))).toBe('rate_limit')
})

test('[NR246] the retry-after is read from headers in seconds, dates or milliseconds, and from Google’s body', () => {
  const wait = (headers: object, body: unknown = {}) => classify(http(429, body, headers)).retryAfterMs
  expect(wait({ 'retry-after': '7' })).toBe(7000)
  expect(wait({ 'retry-after': '0.5' })).toBe(500)
  expect(wait({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250)
  expect(wait({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' })).toBe(30_000)
  expect(wait({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toBe(0)
  expect(wait({ 'retry-after': 'soon' })).toBeNull()
  expect(wait({}, { error: { details: [{ retryDelay: '34s' }] } })).toBe(34_000)
  expect(wait({})).toBeNull()
})

test('[NR245] no message contains a key, neither ours nor one that a vendor quotes partly masked', () => {
  const quoted = http(401, {
    error: { message: 'Incorrect API key provided: sk-proj-abc***wxyz. Header: Bearer tok-123' },
  })
  const { message } = classify(quoted)
  expect(message).not.toMatch(/sk-proj|tok-123/)
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{4,60}$/), fc.string(), fc.string(), (key, before, after) => {
      const message = classify(http(401, { error: { message: `${before}${key}${after}` } }), { secrets: [key] }).message
      expect(message.includes(key) && !'The provider refused the key (401): [key]'.includes(key)).toBe(false)
      expect(scrubSecrets(`${before} ${key} ${after}`, [key]).includes(key) && !'[key]'.includes(key)).toBe(false)
    }),
  )
})

test('[NR243] any error becomes a failure with a message', () => {
  fc.assert(
    fc.property(fc.anything(), (error) => {
      const failure = classify(error)
      expect(failure.message.length).toBeGreaterThan(0)
      expect(failure.message.length).toBeLessThan(700)
    }),
  )
})
