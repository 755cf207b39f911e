import { useEffect, useRef, useState } from 'react'

/**
 * A text field with its value in the address. The address follows a moment later. A field that showed the address
 * would scramble later keys and letters that are still being composed.
 */
export function useAddressText(address: string, send: (text: string) => void) {
  const [text, setText] = useState(address)
  /** Sent but not in the address yet, oldest first. */
  const underWay = useRef<string[]>([])
  useEffect(() => {
    const at = underWay.current.lastIndexOf(address)
    if (at >= 0) underWay.current.splice(0, at + 1)
    // The person did not type this: it came from Back, a link or a button.
    else if (underWay.current.length === 0) setText(address)
  }, [address])
  const type = (next: string) => {
    underWay.current.push(next)
    setText(next)
    send(next)
  }
  return { text, type }
}
