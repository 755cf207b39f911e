import { singleKeysOn, switchSingleKeys } from '../../ui/keyboard/shortcuts.ts'
import { useValue } from '../../ui/state/value-store.ts'
import { chooseTheme, THEME_CHOICES, themeChoice } from '../../ui/theme.ts'

const NAMES = { system: 'System', light: 'Light', dark: 'Dark' } as const

export function Appearance() {
  const chosen = useValue(themeChoice)
  const singleKeys = useValue(singleKeysOn)
  return (
    <>
      <fieldset>
        <legend className="mb-1 text-sm font-[550]">Theme</legend>
        <div className="flex flex-wrap gap-2">
          {THEME_CHOICES.map((choice) => (
            <label
              key={choice}
              className="flex items-center gap-2 rounded-s border border-line-strong px-3 py-1 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="theme"
                className="accent-accent"
                checked={chosen === choice}
                onChange={() => chooseTheme(choice)}
              />
              {NAMES[choice]}
            </label>
          ))}
        </div>
      </fieldset>
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          className="mt-1 accent-accent"
          checked={singleKeys}
          onChange={(event) => switchSingleKeys(event.target.checked)}
        />
        <span>
          Single-key shortcuts
          <span className="block text-sm text-muted">Switch them off if you dictate, or press keys by accident.</span>
        </span>
      </label>
    </>
  )
}
