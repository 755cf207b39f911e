/** A runtime's own models, for a select. */
export function RuntimeModelOptions(props: {
  readonly models: readonly { readonly ref: string; readonly label: string }[]
  /** Stays in the list, even if the runtime does not offer it. */
  readonly chosen: string | null
}) {
  const { models, chosen } = props
  const known = models.some(({ ref }) => ref === chosen)
  return (
    <>
      {chosen && !known ? <option value={chosen}>{`${chosen} (not in the list)`}</option> : null}
      {models.map(({ ref, label }) => (
        <option key={ref} value={ref}>
          {label === ref || ref.endsWith(`/${label}`) ? ref : `${label} (${ref})`}
        </option>
      ))}
    </>
  )
}
