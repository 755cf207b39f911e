// Loaded into a server that is measured: takes its garbage away when it is asked to, and gives back what that freed.
process.on('SIGUSR2', () => globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' }))
