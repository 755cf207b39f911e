/** Ctrl-C: the first one is acted on, the second ends this program at once. */
export function hearInterrupt(act: () => void): { readonly happened: boolean; dispose(): void } {
  let happened = false
  const onSignal = () => {
    // The second one is meant for us alone.
    if (happened) process.exit(130)
    happened = true
    act()
  }
  process.on('SIGINT', onSignal)
  return {
    get happened() {
      return happened
    },
    dispose: () => void process.off('SIGINT', onSignal),
  }
}
