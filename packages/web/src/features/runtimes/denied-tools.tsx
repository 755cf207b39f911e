import { type FormEvent, useState } from 'react'
import type { SourceStatus } from '../../api/fleet.ts'
import { type ToolPolicy, useChangeToolPolicy, useToolPolicy } from '../../api/sources.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { ProblemLine } from '../../shared/problem.tsx'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/page-header.tsx'
import { useStoredDraft } from '../../ui/state/use-stored-draft.ts'
import { TextField } from '../../ui/text-field.tsx'
import { deniedWords } from './runtime-words.ts'

export function DeniedTools({ source }: { source: SourceStatus }) {
  const reading = useToolPolicy(source.sourceId)
  const { data: policy, error } = reading
  if (!policy && !error) return null
  return (
    <details className="mt-3 border-t border-line pt-3 text-sm">
      <summary className="cursor-pointer">{policy ? deniedWords(policy) : 'Tools: unknown'}</summary>
      <Loaded reading={reading} name="its tools" inLine="mt-2">
        {(data) => <PolicyForm source={source} policy={data} />}
      </Loaded>
    </details>
  )
}

function PolicyForm({ source, policy }: { source: SourceStatus; policy: ToolPolicy }) {
  const { sourceId, label } = source
  const change = useChangeToolPolicy(sourceId)
  const [tool, setTool, wasSent] = useStoredDraft(`deny-tool-${sourceId}`)
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const name = tool.trim()
    if (name === '') return setProblem('Type the name of a tool first.')
    if (policy.deny.includes(name)) return setProblem('It is already denied.')
    const onSuccess = () => {
      wasSent(tool)
      announce(`${name} is denied`)
    }
    change.mutate({ deny: [name] }, { onSuccess })
  }
  const allowAgain = (name: string) =>
    change.mutate({ undeny: [name] }, { onSuccess: () => announce(`${name} is no longer denied`) })
  return (
    <div className="mt-2 flex flex-col gap-3">
      <p className="text-muted">
        {`${label} stores this. It applies to all its Boos from their next turn.`}
        {policy.allow === null ? '' : ` Only these tools are allowed there: ${policy.allow.join(', ') || 'none'}.`}
      </p>
      {policy.deny.length === 0 ? null : (
        <ul aria-label="Denied tools" className="flex flex-col gap-1">
          {policy.deny.map((name) => (
            <li key={name} className="flex flex-wrap items-center gap-2">
              <Code>{name}</Code>
              <Button kind="quiet" disabled={change.isPending} onClick={() => allowAgain(name)}>
                {`Allow ${name} again`}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-2">
        <TextField
          className="min-w-[200px] flex-1"
          label="Deny a tool"
          name={`deny-tool-${sourceId}`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={200}
          value={tool}
          error={problem}
          onChange={(event) => {
            setTool(event.target.value)
            setProblem(undefined)
          }}
        />
        <Button type="submit" disabled={change.isPending} className="h-[34px]">
          {change.isPending ? 'Saving' : 'Deny'}
        </Button>
      </form>
      <ProblemLine>{change.error ? problemWords(change.error, 'save') : null}</ProblemLine>
    </div>
  )
}
