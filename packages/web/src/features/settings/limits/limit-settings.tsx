import { useLimits } from '../../../api/limits.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { Section } from '../../../ui/page-header.tsx'
import { ErrorState, LoadingState } from '../../../ui/page-states.tsx'
import { LimitsForm } from './limits-form.tsx'
import { SpentTable } from './spent-table.tsx'

/** The limits of a run and of a day, and today's spending. */
export function LimitSettings() {
  const { data, error, refetch } = useLimits()
  if (!data) {
    return error ? (
      <ErrorState {...readProblem(error, 'the limits')} onRetry={() => void refetch()} />
    ) : (
      <LoadingState what="the limits" rows={5} />
    )
  }
  return (
    <>
      <Section title="Spent today" about={`${data.day} (UTC). Includes model calls without a known price.`}>
        <SpentTable limits={data} />
      </Section>
      <LimitsForm limits={data} />
    </>
  )
}
