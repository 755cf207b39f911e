// Runs before the first paint, so that a dark page never flashes light.
;(() => {
  let chosen = 'system'
  try {
    chosen = localStorage.getItem('clawboo.theme') ?? 'system'
  } catch {
    // Storage may be switched off; the system's theme then applies.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
