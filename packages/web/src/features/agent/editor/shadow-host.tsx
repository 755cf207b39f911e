import { useEffect, useRef } from 'react'

/** An element with a shadow root of its own. A new `mount` starts over in an emptied root. */
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
