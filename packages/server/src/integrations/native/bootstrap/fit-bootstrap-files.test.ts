import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BootstrapFile, cutText, fitBootstrapFiles } from './fit-bootstrap-files.ts'

const file = (name: string, text: string): BootstrapFile => ({
  name,
  path: `/w/${name}`,
  text,
  absence: null,
  bytes: Buffer.byteLength(text),
})
const lost = (
  name: string,
  absence: 'missing' | 'too large' | 'escapes',
  bytes: number | null = null,
): BootstrapFile => ({
  name,
  path: `/w/${name}`,
  text: null,
  absence,
  bytes,
})
const letters = (length: number) => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length)

describe('one file', () => {
  test.each([
    { length: 12_000, max: 12_000, result: 12_000, head: null, tail: null },
    { length: 12_001, max: 12_000, result: 11_999, head: 8918, tail: 2972 },
    { length: 20_000, max: 12_000, result: 11_999, head: 8918, tail: 2972 },
    { length: 50_000, max: 20_000, result: 19_999, head: 14_917, tail: 4972 },
  ])(
    '[NR1] a file of $length characters with a limit of $max becomes $result',
    ({ length, max, result, head, tail }) => {
      const text = letters(length)
      const { files, report } = fitBootstrapFiles([file('AGENTS.md', text)], { maxChars: max, totalMaxChars: 60_000 })
      const shown = files[0]!.text
      expect(shown).toHaveLength(result)
      expect(report.rows[0]).toMatchObject({
        rawChars: length,
        injectedChars: result,
        cause: head === null ? null : 'max/file',
      })
      if (head === null) expect(shown).toBe(text)
      else {
        expect(shown).toBe(
          `${text.slice(0, head)}\n\n[...truncated, read AGENTS.md for full content...]\n…(truncated AGENTS.md: kept ${head}+${tail} chars of ${length})…\n\n${text.slice(-tail!)}`,
        )
      }
    },
  )

  test('[NR2] with little room the marker is one line: 500 characters with a limit of 100 become 99, kept 58+19', () => {
    const text = letters(500)
    const cut = cutText(text, 'AGENTS.md', 100)
    expect(cut.text).toHaveLength(99)
    expect(cut.text).toBe(`${text.slice(0, 58)}[…truncated 58+19/500]${text.slice(-19)}`)
  })

  test('[NR2] the short marker is used when the long one would leave fewer than 16 characters', () => {
    const text = letters(500)
    const isLong = (max: number) => cutText(text, 'AGENTS.md', max).text.includes('for full content')
    const first = Array.from({ length: 200 }, (_, at) => at + 64).find(isLong)!
    expect(isLong(first - 1)).toBe(false)
    const { head, tail } = cutText(text, 'AGENTS.md', first)
    expect(head + tail).toBeGreaterThanOrEqual(15)
    expect(head + tail).toBeLessThanOrEqual(16)
  })

  test('[NR3] a shortened text fits, states the correct numbers, and contains no half character', () => {
    const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }).map((text) => text.repeat(20))
    fc.assert(
      fc.property(texts, fc.integer({ min: 64, max: 3000 }), (text, max) => {
        fc.pre(text.length > max)
        const { text: shown, head, tail } = cutText(text, 'SOUL.md', max)
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(shown.startsWith(text.slice(0, head))).toBe(true)
        expect(shown.endsWith(text.slice(text.length - tail))).toBe(true)
        expect(shown).toMatch(new RegExp(`${head}\\+${tail}( chars of |/)${text.length}`))
        expect(shown.isWellFormed()).toBe(text.isWellFormed())
      }),
    )
    for (let max = 0; max < 64; max++)
      expect(cutText(letters(500), 'SOUL.md', max).text.length).toBeLessThanOrEqual(max)
  })

  test('[NR3] a marker whose numbers gain a digit still fits', () => {
    const whole = letters(20_000)
    for (let max = 64; max < 15_000; max++) {
      const { text, head, tail } = cutText(whole, 'AGENTS.md', max)
      expect(text.endsWith(whole.slice(whole.length - tail))).toBe(true)
      expect(text.slice(head, text.length - tail)).toMatch(/^(\n\n\[\.{3}t[\s\S]+…\n\n|\[…t[\s\S]+\])$/)
      expect(text.length).toBeLessThanOrEqual(max)
      expect(text.length).toBeGreaterThanOrEqual(max - 3)
      expect(text).toContain(`${head}+${tail}`)
    }
  })

  test('[NR6] trailing white space is not shown, and a blank file is left out', () => {
    const { files, report } = fitBootstrapFiles([file('AGENTS.md', ' \n\t\n'), file('SOUL.md', 'kind \n\n')])
    expect(files).toEqual([{ name: 'SOUL.md', path: '/w/SOUL.md', text: 'kind' }])
    expect(report.rows.map(({ rawChars, injectedChars, cause }) => [rawChars, injectedChars, cause])).toEqual([
      [4, 0, null],
      [7, 4, null],
    ])
  })

  test('[NR9] the reported size is the length of the file, and it is the same every time', () => {
    const long = file('TOOLS.md', `${letters(13_000)}\n\n`)
    const reports = Array.from({ length: 50 }, () => fitBootstrapFiles([long]))
    for (const { files, report } of reports) {
      expect(report.rows[0]!.rawChars).toBe(13_002)
      expect(files[0]!.text).toContain('chars of 13002)')
      expect(files[0]!.text).toHaveLength(11_999)
    }
  })

  test('[NR11] the report names the sections that were lost, completely or in part', () => {
    const part = (title: string, length: number) => `## ${title}\n${letters(length)}\n`
    const fenced = '```\n# not a heading\n```\n'
    const text = [
      '# Start',
      part('First', 6000),
      fenced,
      part('Second', 4000),
      part('Third', 3000),
      part('Last', 2000),
    ].join('\n')
    const { report, files } = fitBootstrapFiles([file('AGENTS.md', text)])
    expect(report.rows[0]!.lostHeadings).toEqual([
      { heading: 'Second', lost: 'part' },
      { heading: 'Third', lost: 'part' },
    ])
    expect(files[0]!.text).toContain('## Last')
    const whole = fitBootstrapFiles([file('AGENTS.md', `${letters(9000)}\n${part('Gone', 500)}${part('Cut', 9000)}`)])
    expect(whole.report.rows[0]!.lostHeadings).toEqual([
      { heading: 'Gone', lost: 'whole' },
      { heading: 'Cut', lost: 'part' },
    ])
  })
})

describe('all files', () => {
  test('[NR5] of seven files of 12000 characters five are shown, and the two without any budget left are reported', () => {
    const names = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'HEARTBEAT.md', 'MEMORY.md']
    const { files, report } = fitBootstrapFiles(
      names.map((name) => file(name, `# ${name}\n${letters(12_000 - name.length - 3)}`)),
    )
    expect(files.map(({ name }) => name)).toEqual(names.slice(0, 5))
    expect(report.rows.slice(5)).toEqual(
      names.slice(5).map((name) => ({
        name,
        path: `/w/${name}`,
        rawChars: 12_000,
        rawBytes: 12_000,
        injectedChars: 0,
        cause: 'max/total',
        lostHeadings: [{ heading: name, lost: 'whole' }],
        lostHeadingCount: 1,
      })),
    )
  })

  test('[NR5] with 63 characters left no file is added, with 64 one is, and a shorter file never takes the place of an earlier one', () => {
    const fit = (total: number) =>
      fitBootstrapFiles([file('AGENTS.md', letters(100)), file('SOUL.md', letters(500)), file('TOOLS.md', 'short')], {
        maxChars: 12_000,
        totalMaxChars: total,
      })
    expect(fit(163).files.map(({ name }) => name)).toEqual(['AGENTS.md'])
    expect(
      fit(163)
        .report.rows.slice(1)
        .map(({ cause }) => cause),
    ).toEqual(['max/total', 'max/total'])
    const stopped = [file('AGENTS.md', letters(100)), file('SOUL.md', letters(500)), lost('USER.md', 'missing')]
    const after = fitBootstrapFiles(stopped, { maxChars: 12_000, totalMaxChars: 163 })
    expect(after.files).toHaveLength(1)
    expect(after.report.rows[2]).toMatchObject({ cause: 'missing', injectedChars: 0 })
    expect(fit(164).files.map(({ name, text }) => [name, text.length])).toEqual([
      ['AGENTS.md', 100],
      ['SOUL.md', expect.any(Number)],
    ])
    expect(fit(164).report.rows.map(({ cause }) => cause)).toEqual([null, 'max/total', 'max/total'])
  })

  test('[NR7] a missing file is one line that counts against the total; a missing MEMORY.md is not shown', () => {
    const { files, report } = fitBootstrapFiles([
      lost('SOUL.md', 'missing'),
      file('USER.md', 'Ada'),
      lost('MEMORY.md', 'missing'),
    ])
    expect(files.map(({ text }) => text)).toEqual(['[MISSING] Expected at: /w/SOUL.md', 'Ada'])
    expect(report.injectedChars).toBe(33 + 3)
    const tight = { maxChars: 12_000, totalMaxChars: 100 }
    const { report: squeezed } = fitBootstrapFiles([lost('SOUL.md', 'missing'), file('USER.md', letters(90))], tight)
    expect(squeezed.rows[1]).toMatchObject({ rawChars: 90, cause: 'max/total' })
    const clipped = fitBootstrapFiles([lost('SOUL.md', 'missing')], { maxChars: 100, totalMaxChars: 10 })
    expect(clipped.files[0]!.text).toBe('[MISSING]…')
  })

  test('[NR8] every file has a row with its size and the size that is shown', () => {
    const fileKinds = fc.oneof(
      fc.record({ size: fc.integer({ min: 0, max: 30_000 }) }),
      fc.record({ absence: fc.constantFrom('missing' as const, 'too large' as const, 'escapes' as const) }),
    )
    const anyLimits = fc.record({
      maxChars: fc.integer({ min: 1, max: 20_000 }),
      totalMaxChars: fc.integer({ min: 0, max: 60_000 }),
    })
    fc.assert(
      fc.property(fc.array(fileKinds, { maxLength: 9 }), anyLimits, (kinds, limits) => {
        const found = kinds.map((one, at) =>
          'size' in one ? file(`F${at}.md`, letters(one.size)) : lost(`F${at}.md`, one.absence),
        )
        const { files, report } = fitBootstrapFiles(found, limits)
        expect(report.rows.map(({ name }) => name)).toEqual(found.map(({ name }) => name))
        expect(files.reduce((sum, { text }) => sum + text.length, 0)).toBe(report.injectedChars)
        expect(report.injectedChars).toBeLessThanOrEqual(limits.totalMaxChars)
        for (const [at, row] of report.rows.entries()) {
          expect(row.rawChars).toBe(found[at]!.text?.length ?? null)
          expect(row.injectedChars).toBe(files.find(({ name }) => name === row.name)?.text.length ?? 0)
          if (row.cause === null) expect(row.injectedChars).toBe(row.rawChars)
        }
      }),
    )
  })

  test('[NR10] while the total is not used up, the share of a file does not depend on the other files', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(sizes, (made) => {
        const found = made.map((size, at) => file(`F${at}.md`, letters(size)))
        const together = fitBootstrapFiles(found).files
        const alone = found.flatMap((one) => fitBootstrapFiles([one]).files)
        expect(together).toEqual(alone)
      }),
    )
  })
})
