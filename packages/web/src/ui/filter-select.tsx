import { fieldClass } from './text-field.tsx'

export function FilterSelect(props: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChange: (value: string) => void
}) {
  return (
    <label className="flex items-center gap-2 max-wide:min-w-0 max-wide:flex-1">
      <span className="shrink-0">{props.label}</span>
      <select
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
        className={`${fieldClass} h-7 max-wide:h-10 text-sm wide:max-w-[190px]`}
      >
        {props.options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
