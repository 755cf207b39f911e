import { useEffect, useRef, useState } from 'react'

/** An element with its own shadow root. A new `mount` starts again with an empty root. */
export function ShadowHost({ mount }: { mount: (root: ShadowRoot) => () => void }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const unmount = mount(root)
    return () => {
      unmount()
      root.replaceChildren()
    }
  }, [mount])
  return <div ref={host} className="h-full min-h-0 overflow-hidden" />
}

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
