import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { Code } from '../../ui/page-header.tsx'
import type { DocumentedOperation } from './openapi-reading.ts'

/** One operation: its name when closed, all details when open. */
export function OperationEntry({ operation }: { operation: DocumentedOperation }) {
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
        <Part title={`Answer, ${success.status}`}>
          {success.type ? <TypeText>{success.type}</TypeText> : <p className="text-sm text-muted">No body.</p>}
        </Part>
        {errors.length > 0 ? (
          <Part title="Errors of its own">
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
