import { useEffect, useRef, useState } from 'react'

/**
 * Text that is typed here and kept in the address. The address follows a moment later; if the field showed it, keys
 * pressed meanwhile, and letters still being composed, would be scrambled.
 */
export function useAddressText(address: string, send: (text: string) => void) {
  const [text, setText] = useState(address)
  /** Sent and not yet seen in the address, oldest first. */
  const underWay = useRef<string[]>([])
  useEffect(() => {
    const at = underWay.current.lastIndexOf(address)
    if (at >= 0) underWay.current.splice(0, at + 1)
    // Nobody typed this: it came by Back, by a link or by a button.
    else if (underWay.current.length === 0) setText(address)
  }, [address])
  const type = (next: string) => {
    underWay.current.push(next)
    setText(next)
    send(next)
  }
  return { text, type }
}
