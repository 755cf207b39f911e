import { registerHooks } from 'node:module'

/** Adds the gate to the end of the list of integrations. Loaded before a server. */
registerHooks({
  resolve(specifier, context, next) {
    const asksForList = specifier.endsWith('/integrations/index.ts') && /\/server\/src\//.test(context.parentURL ?? '')
    return asksForList ? next(import.meta.resolve('./integrations.ts'), context) : next(specifier, context)
  },
})
