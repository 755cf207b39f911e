import { Button } from '../../ui/button.tsx'
import { PassesFocus } from '../../ui/keyboard/passes-focus.tsx'

export interface OlderMessages {
  readonly isLoading: boolean
  readonly hasFailed: boolean
  readonly load: () => void
}

/** Above the first message: that older ones are loading or failed to load, or with `offersMore` a button to load them. */
export function OlderLine({
  isLoading,
  hasFailed,
  load,
  offersMore,
}: OlderMessages & { readonly offersMore?: boolean }) {
  if (isLoading) return 'Loading older messages'
  return hasFailed || offersMore ? (
    <PassesFocus>
      <Button kind="quiet" onClick={load}>
        {hasFailed ? "Couldn't load older messages. Try again" : 'Load older messages'}
      </Button>
    </PassesFocus>
  ) : null
}
