import { useFleet } from '../../../api/fleet.ts'
import type { Limits } from '../../../api/limits.ts'
import { useTeams } from '../../../api/teams.ts'
import { costWords, tokenWords } from '../../../shared/run/run-words.ts'

const figureClass = 'pl-4 text-right whitespace-nowrap'
const onWide = 'hidden wide:table-cell'

interface Row {
  readonly key: string
  readonly name: string
  readonly kind: string
  readonly usd: number
  readonly budgetUsd: number
  readonly modelCalls: number | null
  readonly tokens: number | null
}

export function SpentTable({ limits }: { limits: Limits }) {
  const rows = useRows(limits)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
    <div tabIndex={0} className="max-w-full overflow-x-auto">
      <table className="w-full border-collapse tabular-nums">
        <caption className="sr-only">Spent today</caption>
        <thead className="text-left text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 font-[550]">
              Who
            </th>
            {['Calls', 'Tokens', 'Spent', 'Budget'].map((title, index) => (
              <th key={title} scope="col" className={`${figureClass} py-1 font-[550] ${index < 2 ? onWide : ''}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className="border-t border-line">
              <th scope="row" className="min-w-[12ch] py-1.5 text-left font-normal">
                {row.name}
                {row.kind ? <span className="ml-2 text-sm text-muted">{row.kind}</span> : null}
              </th>
              <td className={`${figureClass} ${onWide} py-1.5`}>{row.modelCalls ?? ''}</td>
              <td className={`${figureClass} ${onWide} py-1.5`}>{row.tokens === null ? '' : tokenWords(row.tokens)}</td>
              <td className={`${figureClass} py-1.5 ${row.usd >= row.budgetUsd ? 'font-[560] text-bad' : ''}`}>
                {costWords(row.usd)}
              </td>
              <td className={`${figureClass} py-1.5 text-muted`}>{costWords(row.budgetUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function useRows({ spentToday, daily }: Limits): Row[] {
  const agents = useFleet().data?.agents
  const teams = useTeams().data
  const together = {
    key: 'server',
    name: 'Whole server',
    kind: '',
    usd: spentToday.serverUsd,
    budgetUsd: daily.serverUsd,
    modelCalls: null,
    tokens: null,
  }
  const byTeam = spentToday.byTeam.map((spent) => ({
    ...figures(spent),
    key: `team ${spent.teamId}`,
    name: teams?.find(({ id }) => id === spent.teamId)?.name ?? 'A deleted team',
    kind: 'team',
    budgetUsd: daily.teamUsd,
  }))
  const byAgent = spentToday.byAgent.map((spent) => ({
    ...figures(spent),
    key: `agent ${spent.agentId}`,
    name: agents?.find(({ id }) => id === spent.agentId)?.displayName ?? 'A deleted Boo',
    kind: '',
    budgetUsd: daily.agentUsd,
  }))
  return [together, ...byTeam.sort(mostFirst), ...byAgent.sort(mostFirst)]
}

function figures(spent: Limits['spentToday']['byAgent'][number] | Limits['spentToday']['byTeam'][number]) {
  return { usd: spent.usd, modelCalls: spent.modelCalls, tokens: spent.inputTokens + spent.outputTokens }
}

function mostFirst(one: Row, other: Row): number {
  return other.usd - one.usd || one.name.localeCompare(other.name)
}
