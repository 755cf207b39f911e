import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSoak } from '../../../../../../test/seed.ts'
import { canonicalCommand, parseCommand } from './shell-segments.ts'

const words = (command: string) => {
  const parsed = parseCommand(command)
  return parsed.understood ? parsed.segments.map((segment) => segment.words.map((word) => word.text)) : parsed.reason
}
const joints = (command: string) => {
  const parsed = parseCommand(command)
  return parsed.understood ? parsed.segments.map((segment) => segment.joint) : parsed.reason
}

test('[NR131] a command line is split into every program that it runs', () => {
  expect(words('rg foo | head -n 5 && ls; pwd & date\nid || true')).toEqual([
    ['rg', 'foo'],
    ['head', '-n', '5'],
    ['ls'],
    ['pwd'],
    ['date'],
    ['id'],
    ['true'],
  ])
  expect(joints('a | b && c; d & e\nf || g')).toEqual(['', '|', '&&', ';', '&', ';', '||'])
  expect(words('a|b&&c;d&e')).toEqual([['a'], ['b'], ['c'], ['d'], ['e']])
  expect(words('a &&\n\n b;\n')).toEqual([['a'], ['b']])
  expect(words(`echo 'a b' "c d" e\\ f g'h'"i" '' "a'b" 'a"b' "\\"\\\\\\x"`)).toEqual([
    ['echo', 'a b', 'c d', 'e f', 'ghi', '', "a'b", 'a"b', '"\\\\x'],
  ])
  expect(words(`grep 'a|b;c&d$(x)>y' f`)).toEqual([['grep', 'a|b;c&d$(x)>y', 'f']])
  expect(words('echo a#b')).toEqual([['echo', 'a#b']])
})

const NOT_UNDERSTOOD = [
  ['echo $(id)', '"$"'],
  ['echo `id`', 'backquotes'],
  ['echo "$(id)"', '"$"'],
  ['echo "`id`"', 'backquotes'],
  ['echo $HOME', '"$"'],
  ['$SHELL -c id', '"$"'],
  ["echo $'a'", '"$"'],
  [`echo \${A:=b}`, '"$"'],
  ['cat <(id)', 'redirects input'],
  ['id > f', 'redirects output'],
  ['id 2>&1', 'redirects output'],
  ['cat <<E\nx\nE', 'redirects input'],
  ['id &> f', 'redirects output'],
  ['(id)', 'parentheses'],
  ['f() { id; }', 'parentheses'],
  ['{ id; }', 'braces'],
  ['echo {a,b}', 'braces'],
  ['A=1 id', 'sets a variable'],
  ['A=1', 'sets a variable'],
  ['A+=1 id', 'sets a variable'],
  ['a[1]=2 id', 'pattern'],
  ['/bin/l? x', 'pattern'],
  ['* x', 'pattern'],
  ['~/x', 'pattern'],
  ['# id', 'comment'],
  ['id # x', 'comment'],
  ['if true; then id; fi', `"if"`],
  ['! id', `"!"`],
  ['while :; do id; done', `"while"`],
  ['time id', `"time"`],
  ["echo 'a", 'not closed'],
  ['echo "a', 'not closed'],
  ['echo a\\', 'continues a line'],
  ['echo a\\\nb', 'continues a line'],
  ['echo "a\\\nb"', 'continues a line'],
  ['id;;id', 'an operator follows an operator'],
  ['id |& cat', 'an operator follows an operator'],
  ['id &&', 'after "&&"'],
  ['id |', 'after "|"'],
  ['| id', 'before "|"'],
  ['&& id', 'before'],
  ['id\r\nrm x', 'U+000D'],
  ['id\u2028rm x', 'U+2028'],
  ['id\u00a0x', 'U+00A0'],
  ['echo "\u202e"', 'U+202E'],
  ['id\u0000', 'U+0000'],
  ['id\x1b[2K', 'U+001B'],
  ['echo "a\u200bb"', 'U+200B'],
  ['id；rm x', 'outside ASCII'],
  ['id ｜ sh', 'outside ASCII'],
  ['еcho a', 'outside ASCII'],
  ["'' x", 'no name'],
  ['', 'empty'],
  ['  \n ', 'empty'],
  [`echo ${'a'.repeat(10_000)}`, 'longer than 10000'],
  [Array.from({ length: 51 }, () => 'id').join(';'), 'more than 50 programs'],
] as const

test('[NR132] anything uncertain is not understood, with a reason', () => {
  for (const [command, reason] of NOT_UNDERSTOOD) {
    expect([command.slice(0, 40), words(command)]).toEqual([command.slice(0, 40), expect.stringContaining(reason)])
  }
})

test('[NR132] a pattern among the arguments is marked and preserved', () => {
  const parsed = parseCommand(`ls *.ts 'a*' ~/x b\\*`)
  if (!parsed.understood) throw new Error(parsed.reason)
  expect(parsed.segments[0]!.words.map((word) => word.pattern)).toEqual([false, true, false, true, false])
  expect(canonicalCommand(parsed, () => '/bin/ls')).toBe(`'/bin/ls' *.ts 'a*' ~/x 'b*'`)
})

/** Pieces that cover every case of quoting. */
const piece = fc.constantFrom(
  'a',
  'b1',
  ' ',
  '  ',
  '\t',
  "'",
  '"',
  '\\',
  "'x y'",
  '"x y"',
  '\\ ',
  ';',
  '|',
  '||',
  '&&',
  '&',
  '\n',
  '#',
  '$',
  '$(id)',
  '`',
  '>',
  '<',
  '(',
  ')',
  '{',
  '}',
  '*',
  '?',
  '[',
  ']',
  '~',
  '!',
  '=',
  'A=',
  '\\n',
  '\\\\',
  "''",
  '""',
  '-',
  '%',
  '@',
  '^',
  ',',
  'é',
  '"é"',
  '；',
)

test('[NR133] a real shell reads exactly the same words in an understood command', {
  timeout: isSoak ? 3_600_000 : 300_000,
}, () => {
  // Each program of the line is replaced by one that prints its words, for comparison with the parsed words.
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
      const command = `p ${pieces.join('')}`
      const parsed = parseCommand(command)
      fc.pre(parsed.understood)
      fc.pre(parsed.segments.every((segment) => segment.words.every((word) => !word.pattern)))
      fc.pre(
        parsed.segments.every(
          (segment) =>
            segment.words[0]!.text === 'p' && segment.joint !== '|' && segment.joint !== '&' && segment.joint !== '||',
        ),
      )
      fc.pre(!parsed.endsInBackground)
      const printed = execFileSync('/bin/sh', ['-c', `p() { printf '<%s>' "$@" ; printf '\\n'; }\n${command}`], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const expected = parsed.segments.map((segment) => {
        const args = segment.words.slice(1).map((word) => `<${word.text}>`)
        return `${args.length === 0 ? '<>' : args.join('')}\n`
      })
      expect(printed.toString()).toBe(expected.join(''))
    }),
    { numRuns: isSoak ? 20_000 : 400 },
  )
})

test('[NR133] the canonical command has the same words', { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
      const parsed = parseCommand(`p ${pieces.join('')}`)
      fc.pre(parsed.understood)
      const again = parseCommand(canonicalCommand(parsed, (program) => program))
      if (!again.understood) throw new Error(again.reason)
      const plain = (segments: typeof parsed.segments) =>
        segments.map(({ words: each, joint }) => [joint, each.map((word) => word.text)])
      expect(plain(again.segments)).toEqual(plain(parsed.segments))
      expect(again.endsInBackground).toBe(parsed.endsInBackground)
    }),
    { numRuns: 2000 },
  )
})
