import { readStored, writeStored } from './state/stored-text.ts'
import { createValueStore } from './state/value-store.ts'

export type ThemeChoice = 'system' | 'light' | 'dark'

export const THEME_CHOICES = ['system', 'light', 'dark'] as const satisfies readonly ThemeChoice[]

const KEY = 'clawboo.theme'

export const themeChoice = createValueStore<ThemeChoice>('system')

/** Applies the stored choice and follows the system from then on. `/theme.js` has already set the first paint. */
export function startTheme(): void {
  const stored = readStored(KEY)
  if (stored === 'light' || stored === 'dark') themeChoice.set(stored)
  paint()
  themeChoice.subscribe(paint)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)
}

export function chooseTheme(choice: ThemeChoice): void {
  writeStored(KEY, choice)
  themeChoice.set(choice)
}

function paint(): void {
  const choice = themeChoice.get()
  const dark = choice === 'dark' || (choice === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
}
