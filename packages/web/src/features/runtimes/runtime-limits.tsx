import type { Runtime } from '../../api/fleet.ts'
import { missingWords, planWords } from './plan-words.ts'

/** What persists in a runtime between runs, and what it could not do in the last one. */
export function RuntimeLimits({ runtime }: { readonly runtime: Runtime }) {
  const [plan, missing] = [planWords(runtime), missingWords(runtime)]
  return (
    <>
      {plan === '' ? null : <p className="mt-1 text-sm text-muted">{plan}</p>}
      {missing === null ? null : <p className="mt-1 text-sm">{missing}</p>}
    </>
  )
}
