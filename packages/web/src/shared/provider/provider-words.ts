import type { KeyCheck, ModelProvider } from '@clawboo/core/executor'
import type { Tone } from '../../ui/pill.tsx'

export function providerState({ state, scripted }: Pick<ModelProvider, 'state' | 'scripted'>): {
  readonly word: string
  readonly tone: Tone
} {
  switch (state) {
    case 'ready':
      return { word: scripted ? 'Always ready' : 'Ready', tone: 'good' }
    case 'needs-key':
      return { word: 'Needs a key', tone: 'plain' }
    case 'unreachable':
      return { word: 'Not reachable', tone: 'bad' }
    case 'cooling':
      return { word: 'Paused after failures', tone: 'needs' }
  }
}

/** The problem with a tested key, in words; null when the key works. */
export function keyProblem(check: KeyCheck, label: string): string | null {
  if (check.result === 'ok') return null
  const why = check.detail ? ` It said: ${check.detail.replace(/[.\s]+$/, '')}.` : ''
  return check.result === 'refused'
    ? `${label} refused this key.${why}`
    : `${label} is not reachable, so the key was not tested.${why.replace('It said', 'The reason')}`
}

/** The state of a stored key. `check` is the result of a test since this page opened. */
export function storedKeyWords(label: string, check: KeyCheck | null): string {
  switch (check?.result) {
    case undefined:
      return `A key for ${label} is stored.`
    case 'ok':
      return `The key for ${label} is stored and works.`
    case 'refused':
      return `The key for ${label} is stored, but ${label} refused it.`
    case 'unreachable':
      return `The key for ${label} is stored but not tested. ${label} is not reachable.`
  }
}

/** Shown beside the name of a provider with scripted answers. */
export const SCRIPTED = 'scripted, not an AI'

/** The label without a remark, because the remark is shown separately. */
export function plainLabel({ label, scripted }: Pick<ModelProvider, 'label' | 'scripted'>): string {
  return scripted ? label.replace(` (${SCRIPTED})`, '') : label
}
