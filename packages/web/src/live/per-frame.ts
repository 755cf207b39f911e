/** Runs `flush` once per frame, however often it is wanted. A hidden tab renders no frames, so it uses a timer. */
export function createPerFrame(flush: () => void): { readonly want: () => void } {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = 0
    flush()
  }
  return {
    want: () => {
      if (frame !== 0) return
      frame = requestAnimationFrame(run)
      timer = setTimeout(run, 250)
    },
  }
}
