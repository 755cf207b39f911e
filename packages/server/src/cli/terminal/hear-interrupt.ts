/** Handles the first Ctrl-C with `act`; the second one exits at once. */
export function hearInterrupt(act: () => void): { readonly happened: boolean; dispose(): void } {
  let happened = false
  const onSignal = () => {
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
