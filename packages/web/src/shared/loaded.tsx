import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Team, useTeams } from '../api/teams.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingState } from '../ui/page-states.tsx'
import { readProblem } from './problem-words.ts'

/** The part of a query that decides what is shown. */
interface Reading<Data> {
  readonly data: Data | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** Shows data once it is loaded; before, that it is loading or why it could not be loaded. */
export function Loaded<Data>(props: {
  readonly reading: Reading<Data>
  /** Completes "Loading …" and "Couldn't load …". */
  readonly name: string
  /** The number of lines of the placeholder. */
  readonly rows?: number
  /** Within a page: one line with these classes instead of a placeholder. */
  readonly inLine?: string
  readonly children: (data: Data) => ReactNode
}): ReactNode {
  const { name, inLine } = props
  const { data, error, refetch } = props.reading
  if (data !== undefined) return props.children(data)
  const retry = () => void refetch()
  if (inLine === undefined) {
    return error ? (
      <ErrorState {...readProblem(error, name)} onRetry={retry} />
    ) : (
      <LoadingState what={name} rows={props.rows} />
    )
  }
  return error ? (
    <p role="alert" className={`flex flex-wrap items-center gap-3 text-bad ${inLine}`}>
      {`${readProblem(error, name).title}.`}
      <Button onClick={retry}>Try again</Button>
    </p>
  ) : (
    <p role="status" className={`text-muted ${inLine}`}>{`Loading ${name}`}</p>
  )
}

/** A page that is not loaded yet. */
export function LoadingPage(props: {
  readonly title: string
  readonly name: string
  readonly reading: Reading<unknown>
}) {
  return (
    <>
      <PageHeader title={props.title} />
      <Loaded reading={props.reading} name={props.name}>
        {() => null}
      </Loaded>
    </>
  )
}

/** Combines two readings: loaded when both are, with the first error of either. */
export function both<One, Other>(one: Reading<One>, other: Reading<Other>): Reading<readonly [One, Other]> {
  const isLoaded = one.data !== undefined && other.data !== undefined
  return {
    data: isLoaded ? [one.data, other.data] : undefined,
    error: one.error ?? other.error,
    refetch: () => Promise.all([one.refetch(), other.refetch()]),
  }
}

/** The page of something that does not exist. */
export function MissingPage(props: {
  readonly name: string
  readonly words?: string
  readonly to?: '/' | '/board' | '/runs'
  readonly back?: string
}) {
  const { name, words = 'It was deleted, or the address is wrong.', to = '/', back = 'Go to Fleet' } = props
  return (
    <>
      <PageHeader title={name} />
      <EmptyState title={`${name} not found`} seed="lost">
        <p>{words}</p>
        <Link to={to} className={buttonClass()}>
          {back}
        </Link>
      </EmptyState>
    </>
  )
}

export function TeamLoader(props: {
  readonly teamId: string
  /** The title while the team is not known. */
  readonly title: string
  readonly missing: ReactNode
  readonly children: (team: Team, teams: readonly Team[]) => ReactNode
}) {
  const teams = useTeams()
  const team = teams.data?.find(({ id }) => id === props.teamId)
  if (team) return props.children(team, teams.data ?? [])
  if (teams.data) return props.missing
  return <LoadingPage title={props.title} name={`the ${props.title.toLowerCase()}`} reading={teams} />
}
