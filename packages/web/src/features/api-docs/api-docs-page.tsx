import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef } from 'react'
import { useOperation } from '../../api/operation.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useShortcuts } from '../../ui/keyboard/shortcuts.ts'
import { usePageActions } from '../../ui/page-actions.ts'
import { Code, PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { useAddressText } from '../../ui/state/use-address-text.ts'
import { fieldClass } from '../../ui/text-field.tsx'
import { matchScore } from '../../ui/words/search-words.ts'
import { counted } from '../../ui/words/time-words.ts'
import { type DocumentedOperation, readOperations, readSchemas } from './openapi-reading.ts'

const route = getRouteApi('/shell/api-docs')

export function ApiDocsPage() {
  const document = useOperation('getOpenApi', {})
  return (
    <>
      <PageHeader title="API" sub="The API that this page uses, open to every program with the operator token">
        <a href="/api/openapi.json" className={buttonClass()}>
          openapi.json
        </a>
      </PageHeader>
      <Loaded reading={document} name="the API document">
        {(data) => <Docs document={data} />}
      </Loaded>
    </>
  )
}

function Docs({ document }: { document: Record<string, unknown> }) {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const operations = useMemo(() => readOperations(document), [document])
  const found = operations.filter((operation) => matchScore(q, searchText(operation)) > 0)
  const search = (next: string) => void navigate({ search: next === '' ? {} : { q: next }, replace: true })
  const { text, type } = useAddressText(q, search)
  const toSearch = () => field.current?.focus()
  useShortcuts({ '/': toSearch })
  usePageActions([{ id: 'search-api', title: 'Search the API', icon: 'search', keys: '/', run: toSearch }])
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="sticky top-0 z-10 flex items-center gap-3 border-b border-line bg-surface px-5 py-2.5">
        <input
          ref={field}
          type="search"
          aria-label="Search the API"
          placeholder="Search by path, name or error code"
          value={text}
          onChange={(event) => type(event.target.value)}
          className={`${fieldClass} h-[30px] max-w-[360px] text-sm`}
        />
        <span role="status" className="text-sm text-muted tabular-nums">
          {counted(found.length, 'operation')}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState title="No operations match">
          <Button onClick={() => search('')}>Show all</Button>
        </EmptyState>
      ) : (
        <div className="max-w-[920px] px-5 pb-10">
          {q === '' ? <HowToCall /> : null}
          {byTag(found).map(([tag, group]) => (
            <section key={tag} aria-label={tag}>
              <h2 className="pt-6 pb-1 text-lg font-[620]">{tag}</h2>
              {group.map((operation) => (
                <OperationEntry key={operation.id} operation={operation} />
              ))}
            </section>
          ))}
          {q === '' ? <Schemas document={document} /> : null}
        </div>
      )}
    </div>
  )
}

function Schemas({ document }: { document: Record<string, unknown> }) {
  const schemas = useMemo(() => readSchemas(document), [document])
  return (
    <section aria-label="Schemas">
      <h2 className="pt-8 pb-1 text-lg font-[620]">Schemas</h2>
      {schemas.map((schema) => (
        <details key={schema.name} id={`schema-${schema.name}`} className="border-b border-line">
          <summary className="rounded-s py-2 font-mono text-sm font-[550]">{schema.name}</summary>
          {schema.about ? <p className="pb-2 text-muted">{schema.about}</p> : null}
          <pre className="mb-3 overflow-x-auto rounded-s border border-line bg-sunken p-3 font-mono text-sm">
            {schema.type}
          </pre>
        </details>
      ))}
    </section>
  )
}

function HowToCall() {
  return (
    <p className="pt-4 text-muted">
      Send the text of the file <Code>token</Code> in the home as <Code>Authorization: Bearer …</Code>. Every error has
      a stable <Code>code</Code> to branch on, a message for people, and details.
    </p>
  )
}

function searchText(operation: DocumentedOperation): string {
  const { method, path, summary, tag, id, errors } = operation
  return `${summary} ${method} ${path} ${tag} ${id} ${errors.join(' ')}`
}

function byTag(operations: readonly DocumentedOperation[]): [string, DocumentedOperation[]][] {
  const groups = new Map<string, DocumentedOperation[]>()
  for (const operation of operations) {
    const group = groups.get(operation.tag)
    if (group) group.push(operation)
    else groups.set(operation.tag, [operation])
  }
  return [...groups.entries()]
}

/** One operation: its name when closed, all details when open. */
function OperationEntry({ operation }: { operation: DocumentedOperation }) {
  const { method, path, summary, parameters, body, success, errors } = operation
  return (
    <details className="border-b border-line">
      <summary className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 rounded-s py-2">
        <span className={classNames('w-14 shrink-0 font-mono text-sm font-semibold', METHOD_COLOURS[method])}>
          {method}
        </span>
        <span className="min-w-0 font-mono text-sm break-all">{path}</span>
        <span className="w-full text-muted wide:ml-auto wide:w-auto">{summary}</span>
      </summary>
      <div className="flex flex-col gap-3 pt-1 pb-4">
        <p className="text-sm text-muted">
          Name: <Code>{operation.id}</Code>
          {operation.open ? ' · needs no credential' : ''}
        </p>
        {parameters.length > 0 ? (
          <Part title="Parameters">
            <ul className="flex flex-col gap-1">
              {parameters.map((parameter) => (
                <li key={parameter.name} className="text-sm">
                  <Code>{`${parameter.name}${parameter.required ? '' : '?'}: ${parameter.type}`}</Code>
                  <span className="text-muted">{` in ${parameter.place}${parameter.about ? ` · ${parameter.about}` : ''}`}</span>
                </li>
              ))}
            </ul>
          </Part>
        ) : null}
        {body ? (
          <Part title="Body">
            <TypeText>{body}</TypeText>
          </Part>
        ) : null}
        <Part title={`Response, ${success.status}`}>
          {success.type ? <TypeText>{success.type}</TypeText> : <p className="text-sm text-muted">No body.</p>}
        </Part>
        {errors.length > 0 ? (
          <Part title="Specific errors">
            <p className="flex flex-wrap gap-1.5">
              {errors.map((code) => (
                <Code key={code}>{code}</Code>
              ))}
            </p>
          </Part>
        ) : null}
      </div>
    </details>
  )
}

const METHOD_COLOURS: Readonly<Record<string, string>> = {
  GET: 'text-working',
  POST: 'text-good',
  PUT: 'text-needs',
  PATCH: 'text-needs',
  DELETE: 'text-bad',
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="pb-1 text-sm font-semibold text-muted">{title}</h3>
      {children}
    </div>
  )
}

function TypeText({ children }: { children: string }) {
  return <pre className="overflow-x-auto rounded-s border border-line bg-sunken p-3 font-mono text-sm">{children}</pre>
}
