import { useState } from 'react'
import { type LocalProgram, useLocalPrograms } from '../../api/providers.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ChoiceCard } from './choice-card.tsx'
import { ModelStep } from './model-step.tsx'
import { UpstreamLines } from './upstream-lines.tsx'

export function LocalChoice() {
  const { data, error, refetch, isFetching } = useLocalPrograms()
  const [usedId, setUsedId] = useState<string | null>(null)
  const used = data?.find(({ id, found }) => found && id === usedId)
  const lookAgain = () => void refetch()
  return (
    <ChoiceCard title="Use what is on this computer" about="Local model servers and agent programs.">
      {used ? (
        <ModelStep words={`${used.label} is used.`} providers={[{ models: used.models.map(asModel) }]} />
      ) : data ? (
        <ul className="flex flex-col">
          {data.map((program) => (
            <ProgramLine
              key={program.id}
              program={program}
              looking={isFetching}
              onUse={() => setUsedId(program.id)}
              onLook={lookAgain}
            />
          ))}
          <UpstreamLines />
        </ul>
      ) : error ? (
        <p role="alert" className="flex flex-wrap items-center gap-3 text-sm text-bad">
          {readProblem(error, "what's on this computer").title}
          <Button onClick={lookAgain}>Try again</Button>
        </p>
      ) : (
        <p role="status" className="text-sm text-muted">
          Looking for programs
        </p>
      )}
    </ChoiceCard>
  )
}

function ProgramLine(props: {
  readonly program: LocalProgram
  readonly looking: boolean
  readonly onUse: () => void
  readonly onLook: () => void
}) {
  const { program } = props
  const usable = program.found && program.models.length > 0
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2 first:border-0">
      <span className="font-[560]">{program.label}</span>
      <Pill tone={program.found ? 'good' : 'plain'}>{program.found ? 'Found' : 'Not found'}</Pill>
      {program.detail ? <span className="min-w-0 text-sm text-muted">{program.detail}</span> : null}
      <span className="ml-auto">
        {usable ? (
          <Button onClick={props.onUse}>{`Use ${program.label}`}</Button>
        ) : (
          <Button onClick={props.onLook} disabled={props.looking}>
            {props.looking ? 'Refreshing' : 'Refresh'}
          </Button>
        )}
      </span>
    </li>
  )
}

function asModel(ref: string) {
  return { ref, id: ref, label: ref.slice(ref.indexOf('/') + 1), contextWindowTokens: null, price: null }
}
