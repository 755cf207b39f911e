import { Fragment, memo, type ReactNode, useRef } from 'react'
import { Code } from '../page-header.tsx'
import { CodeBlock } from './code-block.tsx'
import { type InlinePart, readInline } from './inline-markdown.ts'
import { type ListItem, type MarkdownPart, type MarkdownReading, readMarkdown } from './markdown.ts'

/** A Boo's text as Markdown. While it grows, only its last part is parsed and rendered again. */
export const MarkdownText = memo(function MarkdownText({ text, depth = 0 }: { text: string; depth?: number }) {
  const before = useRef<MarkdownReading>(undefined)
  const reading = readMarkdown(text, before.current)
  before.current = reading
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      {reading.parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end, and the last one grows
        <Part key={index} part={part} depth={depth} />
      ))}
    </div>
  )
})

/** The deepest nesting of quotes that is shown as such. */
const DEEPEST_QUOTE = 4

const Part = memo(
  function Part({ part, depth }: { part: MarkdownPart; depth: number }) {
    switch (part.kind) {
      case 'paragraph':
        return (
          <p className="whitespace-pre-wrap">
            <Inline text={part.text} />
          </p>
        )
      case 'quote':
        return (
          <blockquote className="border-l-2 border-line-strong pl-3 whitespace-pre-wrap text-muted">
            {depth < DEEPEST_QUOTE ? <MarkdownText text={part.text} depth={depth + 1} /> : part.text}
          </blockquote>
        )
      case 'heading':
        return <Heading level={part.level} text={part.text} />
      case 'fence':
        return <CodeBlock code={part.code} language={part.language} />
      case 'list':
        return <List items={part.items} />
      case 'table':
        return <Table head={part.head} rows={part.rows} />
      case 'rule':
        return <hr className="border-line" />
    }
  },
  (before, now) => before.part.kind === now.part.kind && before.part.source === now.part.source,
)

/** A Boo's headings start two levels below the page's own. */
function Heading({ level, text }: { level: number; text: string }) {
  const Tag = level <= 2 ? 'h3' : level === 3 ? 'h4' : 'h5'
  return (
    <Tag className={level <= 2 ? 'mt-1 text-lg font-[620]' : 'mt-1 font-semibold'}>
      <Inline text={text} />
    </Tag>
  )
}

const INDENTS = ['', 'ml-5', 'ml-10', 'ml-15', 'ml-20', 'ml-25', 'ml-30'] as const

/** A list grows at its end, so earlier items do not render again with each word. */
function List({ items }: { items: readonly ListItem[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items never move
        <Item key={index} {...item} />
      ))}
    </ul>
  )
}

const Item = memo(function Item({ depth, number, text }: ListItem) {
  return (
    <li className={`flex gap-2 ${INDENTS[depth] ?? ''}`}>
      <span aria-hidden={number === null} className="min-w-4 shrink-0 text-right text-muted tabular-nums">
        {number === null ? '•' : `${number}.`}
      </span>
      <span className="min-w-0 whitespace-pre-wrap">
        <Inline text={text} />
      </span>
    </li>
  )
})

function Table({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
    <div tabIndex={0} className="max-w-full overflow-x-auto rounded-s border border-line">
      {/* Words are not broken; a wide table scrolls. */}
      <table className="w-full text-left text-sm [overflow-wrap:normal]">
        <thead className="bg-bg">
          <tr>{cells(head, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
            <tr key={index} className="border-t border-line">
              {cells(row, 'td')}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function cells(texts: readonly string[], Tag: 'th' | 'td'): ReactNode {
  return texts.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the cells never move
    <Tag key={index} className={`px-3 py-1.5 align-top font-[inherit] ${cellClass(text)}`}>
      <Inline text={text} />
    </Tag>
  ))
}

/** Figures and short words stay on one line; a sentence gets a readable width. */
function cellClass(text: string): string {
  return text.length <= 16 ? 'whitespace-nowrap tabular-nums' : 'min-w-[18ch]'
}

const Inline = memo(function Inline({ text }: { text: string }) {
  return <InlineParts parts={readInline(text)} />
})

function InlineParts({ parts }: { parts: readonly InlinePart[] }): ReactNode {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other key
    <Fragment key={index}>{inline(part)}</Fragment>
  ))
}

function inline(part: InlinePart): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <Code>{part.text}</Code>
    case 'strong':
      return (
        <strong className="font-[620]">
          <InlineParts parts={part.parts} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <InlineParts parts={part.parts} />
        </em>
      )
    case 'struck':
      return (
        <s>
          <InlineParts parts={part.parts} />
        </s>
      )
    case 'link':
      return (
        <a
          href={part.href}
          // A title can claim anything, so the address is shown with it.
          title={part.title === null ? undefined : `${part.title} (${part.href})`}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent-text underline decoration-1 underline-offset-2"
        >
          <InlineParts parts={part.parts} />
        </a>
      )
  }
}
