import type { ProvidedModel } from '../../../api/providers.ts'
import { tokenWords } from '../../../shared/run/run-words.ts'
import { counted } from '../../../ui/words/time-words.ts'

/** The models of a provider, collapsed to one line. */
export function ModelTable({ models, label }: { models: readonly ProvidedModel[]; label: string }) {
  if (models.length === 0) return null
  return (
    <details className="mt-2 text-sm">
      <summary className="w-fit rounded-s text-muted hover:text-text">{counted(models.length, 'model')}</summary>
      <div className="mt-1 overflow-x-auto">
        <table className="w-full border-collapse tabular-nums">
          <caption className="sr-only">{`Models of ${label}`}</caption>
          <thead className="text-left text-xs text-muted">
            <tr>
              <th className="py-1 font-[550]">Model</th>
              <th className="py-1 pl-4 text-right font-[550]">Window</th>
              <th className="py-1 pl-4 text-right font-[550]">In</th>
              <th className="py-1 pl-4 text-right font-[550]">Out</th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ ref, label: name, contextWindowTokens, price }) => (
              <tr key={ref} className="border-t border-line">
                <td className="py-1 break-all">{name}</td>
                <td className="py-1 pl-4 text-right whitespace-nowrap">
                  {contextWindowTokens === null ? '–' : tokenWords(contextWindowTokens)}
                </td>
                <td className="py-1 pl-4 text-right whitespace-nowrap">{priceWords(price?.inputUsd)}</td>
                <td className="py-1 pl-4 text-right whitespace-nowrap">{priceWords(price?.outputUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-1 text-xs text-muted">Prices are dollars per million tokens. – means not known.</p>
    </details>
  )
}

function priceWords(usd: number | undefined): string {
  return usd === undefined ? '–' : `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2 })}`
}
