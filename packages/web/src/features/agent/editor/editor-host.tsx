import { useEffect, useRef } from 'react'

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
