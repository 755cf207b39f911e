/** Radio buttons as cards, each with a sentence about the choice. */
export function ChoiceCards<Value extends string>(props: {
  readonly legend: string
  /** The name of the radio group, unique on the page. */
  readonly name: string
  readonly choices: readonly { readonly value: Value; readonly label: string; readonly about: string }[]
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
  /** Whether the cards are side by side where they fit. */
  readonly inRow?: boolean
}) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-[550]">{props.legend}</legend>
      <div className={props.inRow ? 'flex flex-wrap gap-2' : 'flex flex-col gap-2'}>
        {props.choices.map(({ value, label, about }) => (
          <label
            key={value}
            className={`flex items-center gap-2.5 rounded-s border border-line-strong px-3 py-1.5 has-checked:border-accent has-checked:bg-accent-soft ${props.inRow ? 'min-w-[180px] flex-1' : ''}`}
          >
            <input
              type="radio"
              name={props.name}
              className="accent-accent"
              checked={props.chosen === value}
              onChange={() => props.onChoose(value)}
            />
            <span>
              <span className="block font-[550]">{label}</span>
              <span className="block text-sm text-muted">{about}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
