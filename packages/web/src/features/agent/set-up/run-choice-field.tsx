import type { Runtime } from '../../../api/fleet.ts'
import { ChoiceCards } from '../choice-cards.tsx'

/** One of the settings that a runtime offers. */
export function RunChoiceField(props: {
  readonly choice: NonNullable<Runtime['choices']>[number]
  /** Empty = not set. */
  readonly chosen: string
  readonly onChange: (value: string) => void
}) {
  const { key, label, unset, values } = props.choice
  const choices = typeof unset === 'string' ? values : [{ value: '', ...unset }, ...values]
  const chosen = props.chosen === '' && typeof unset === 'string' ? unset : props.chosen
  const warning = values.find(({ value }) => value === chosen)?.warning
  return (
    <div>
      <ChoiceCards legend={label} name={key} choices={choices} chosen={chosen} onChoose={props.onChange} />
      {warning ? (
        <p role="alert" className="mt-2 rounded-s bg-bad-soft px-3 py-2 text-sm text-bad">
          {warning}
        </p>
      ) : null}
    </div>
  )
}
