import { useEffect, useState } from 'react'

/** A module that loads when it is first shown. `load` is read once per attempt. */
export function useModule<T extends object>(
  load: () => Promise<T>,
): { readonly loaded: T | 'loading' | 'failed'; readonly retry: () => void } {
  const [loaded, setLoaded] = useState<T | 'loading' | 'failed'>('loading')
  // biome-ignore lint/correctness/useExhaustiveDependencies: every render passes a new function for the same module
  useEffect(() => {
    if (loaded !== 'loading') return
    let isShown = true
    load().then(
      (module) => isShown && setLoaded(module),
      () => isShown && setLoaded('failed'),
    )
    return () => {
      isShown = false
    }
  }, [loaded])
  return { loaded, retry: () => setLoaded('loading') }
}
