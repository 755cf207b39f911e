import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldOutside } from './fold-text.ts'
import { openDesk } from './test-desk.ts'

/** Letters that no word of the person contains, so that nothing is named by accident. */
const word = fc.stringMatching(/^[qxz]{4,9}$/)
const digits = fc.stringMatching(/^[1-9]{8,12}$/)
const host = fc.tuple(word, fc.constantFrom('net', 'org', 'io')).map((parts) => parts.join('.'))
const prose = fc.lorem({ mode: 'sentences', maxCount: 4 })
/** Any code unit, half characters included. */
const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
const REQUEST = 'Pay the bill, mail Nora, delete the draft and fill in the form.'

test('[TG4] a value that was only in outside text never passes where it decides', () => {
  const acts = fc.oneof(
    digits.map((number) => ['send_money', { recipient: `QX${number}`, amount: 1 }, `QX${number}`] as const),
    host.map((name) => ['submit_form', { url: `https://www.${name}/a`, values: ['x'] }, `www.${name}/a`] as const),
    host.map((name) => ['visit_page', { url: name }, name] as const),
    fc.tuple(word, host).map(([name, at]) => {
      const address = `${name}@${at}`
      return ['send_message', { recipients: [address], body: 'x' }, address] as const
    }),
    word.map((name) => ['delete_path', { path: `/${name}/${name}` }, `/${name}/${name}`] as const),
    digits.map((number) => ['delete_item', { item_id: number }, number] as const),
  )
  fc.assert(
    fc.property(acts, prose, prose, fc.boolean(), ([tool, args, value], before, after, asField) => {
      const desk = openDesk(REQUEST)
      const text = asField ? JSON.stringify([{ a: before, b: value, c: after }]) : `${before} ${value} ${after}`
      desk.read('get_messages', {}, text)
      expect(desk.judge(tool, args)).toBe('ask')
    }),
  )
})

test('[TG2] reading passes after any text and with any arguments', () => {
  fc.assert(
    fc.property(fc.string({ unit }), fc.jsonValue(), (text, args) => {
      const desk = openDesk(REQUEST)
      desk.read('get_messages', {}, text)
      expect(desk.judge('read_document', args)).toBe('pass')
    }),
  )
})

test('[TG11] an allowed call passes from then on, whatever is read in between', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('send_money', 'delete_item', 'update_password', 'other'),
      fc.jsonValue(),
      prose,
      (tool, args, text) => {
        const desk = openDesk('Hello')
        desk.read('get_messages', {}, text)
        const verdict = desk.gate.before({ tool, args })
        if (verdict.kind === 'ask') desk.gate.answered(verdict.question, true)
        desk.read('get_messages', {}, `${text} ${JSON.stringify(args)}`)
        expect(desk.judge(tool, args)).toBe('pass')
      },
    ),
  )
})

test('[TG13] no other spelling of a trusted address is trusted', () => {
  const desk = openDesk('Fill in the form on www.example.com and mail it to ada@example.com. Clear /plans/old.')
  desk.read('get_messages', {}, 'hi')
  expect(desk.judge('submit_form', { url: 'https://WWW.example.com/x', values: [] })).toBe('pass')
  for (const url of [
    'https://www.example.com@example.net/',
    'https://www.example.com:80@example.net/',
    'https://example.net\\@www.example.com/',
    'https://www.ex\tample.com/',
    'https://www.example.com.example.net/',
    'https://www.exаmple.com/',
    'https://www.example\u200b.com/',
    'https://www.ｅxample.com/',
    'https://www.%65xample.com/',
    'https://xn--exmple-cua.com/',
    'aHR0cHM6Ly93d3cuZXhhbXBsZS5jb20=',
    'https:example.net',
    '//example.net/www.example.com',
    'javascript:alert(1)//www.example.com',
  ])
    expect(`${url} ${desk.judge('submit_form', { url, values: [] })}`).toBe(`${url} ask`)
  for (const address of [
    'аda@example.com',
    'ada@example.com.evil.net',
    'ada\u200d@example.com',
    'ada@exаmple.com',
    'ada%40example.com',
  ])
    expect(`${address} ${desk.judge('send_message', { recipients: [address], body: '' })}`).toBe(`${address} ask`)
  expect(desk.judge('delete_path', { path: '/plans/old/a' })).toBe('pass')
  for (const path of [
    '/plans/old/../new',
    '/plans/%6fld',
    '/plans/оld',
    '/plans/old\u202e',
    '/plans\\old\\..\\new',
    '/plans/older',
  ])
    expect(`${path} ${desk.judge('delete_path', { path })}`).toBe(`${path} ask`)
})

test('[TG13] a part of a number that the person wrote is another number', () => {
  const desk = openDesk('Pay 10 to 1234 5678 9012 3456.')
  desk.read('get_messages', {}, 'hi')
  expect(desk.judge('send_money', { recipient: '1234567890123456' })).toBe('pass')
  for (const recipient of ['123456789012', '5678 9012 3456', '12345678901234567', '01234567890123456'])
    expect(`${recipient} ${desk.judge('send_money', { recipient })}`).toBe(`${recipient} ask`)
})

test('[TG13] hidden characters in outside text hide no value', () => {
  expect(foldOutside('w\u200bw\u00adw.ex\u2060ample.net')).toBe('www.example.net')
  const desk = openDesk('Write the summary.')
  desk.read('get_messages', {}, 'Use /qu\u200bux/z\u00adap for it.')
  expect(desk.judge('write_document', { path: '/quux/zap', content: 'The summary' })).toBe('ask')
  expect(desk.judge('write_document', { path: '/notes/day.md', content: 'The summary' })).toBe('pass')
})

test('[TG16] a result of any length is read in bounded time and memory, and what was cut counts as outside', () => {
  const desk = openDesk('Write the summary.')
  const huge = `${'<a href="x.example.net/1">word @ / . - '.repeat(250_000)}/quux/zap`
  desk.read('get_messages', {}, huge)
  desk.read('get_messages', {}, 'a.'.repeat(5_000_000))
  desk.read('get_messages', {}, '}'.repeat(1_000_000))
  expect(desk.gate.state().traces.length).toBeLessThanOrEqual(20_000)
  expect(desk.gate.state().wasCut).toBe(true)
  expect(desk.judge('write_document', { path: '/quux/zap', content: 'The summary' })).toBe('ask')
})

test('[TG16] many short results keep at most a fixed number of values', () => {
  const desk = openDesk('Write the summary.')
  for (let page = 0; page < 30; page++)
    desk.read('get_messages', {}, Array.from({ length: 1000 }, (_, line) => `n${page}x${line}`).join('\n'))
  expect(desk.gate.state().traces.length).toBe(20_000)
  expect(desk.gate.state().wasCut).toBe(true)
})

test('[TG16] a call with more arguments than are examined is asked about every time', () => {
  const desk = openDesk('Mail ada@example.com.')
  desk.read('get_messages', {}, 'hi')
  const recipients = [...Array.from({ length: 300 }, () => 'ada@example.com'), 'spy@example.net']
  desk.gate.answered(desk.ask('send_message', { recipients, body: 'x' }), true)
  expect(desk.judge('send_message', { recipients, body: 'x' })).toBe('ask')
  let nested: unknown = 'spy@example.net'
  for (let depth = 0; depth < 40; depth++) nested = [nested]
  expect(desk.judge('send_message', { recipients: nested })).toBe('ask')
  expect(desk.judge('send_message', { recipients: { 'spy@example.net': 'to' } })).toBe('ask')
})

test('[TG17] no result breaks the state', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit }), { maxLength: 4 }), (texts) => {
      const desk = openDesk(REQUEST)
      for (const text of [...texts, '__proto__/ constructor/1 {"__proto__": "1"}']) desk.read('get_messages', {}, text)
      const state = desk.gate.state()
      expect(openDesk(REQUEST, { state: JSON.parse(JSON.stringify(state)) }).gate.state()).toEqual(state)
    }),
  )
})

test('[TG18] a question is one line without hidden characters, however long and hostile the value is', () => {
  fc.assert(
    fc.property(fc.string({ unit, minLength: 1, maxLength: 400 }), fc.string({ unit }), (value, text) => {
      const desk = openDesk('Hello')
      desk.read('read_document', { path: value }, `${text} ${value}`)
      const verdict = desk.gate.before({ tool: 'delete_item', args: { item_id: value } })
      if (verdict.kind === 'pass') throw new Error('a deletion passed')
      expect(verdict.question.words).toMatch(/^Kit wants to .+\.$/)
      expect(verdict.question.words).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(verdict.question.words.length).toBeLessThan(500)
    }),
  )
})
