import { useEffect, useState } from 'react'

/** A module that loads when it is first shown. `load` is read once. */
export function useEditorModule<T extends object>(load: () => Promise<T>): T | 'loading' | 'failed' {
  const [loaded, setLoaded] = useState<T | 'loading' | 'failed'>('loading')
  // biome-ignore lint/correctness/useExhaustiveDependencies: every render passes a new function for the same module
  useEffect(() => {
    let shown = true
    load().then(
      (module) => shown && setLoaded(module),
      () => shown && setLoaded('failed'),
    )
    return () => {
      shown = false
    }
  }, [])
  return loaded
}
