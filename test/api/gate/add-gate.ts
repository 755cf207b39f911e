import { registerHooks } from 'node:module'

/** Loaded before a server: adds the gate to the end of the list of integrations. */
registerHooks({
  resolve(specifier, context, next) {
    const asksForList = specifier.endsWith('/integrations/index.ts') && /\/server\/src\//.test(context.parentURL ?? '')
    return asksForList ? next(import.meta.resolve('./integrations.ts'), context) : next(specifier, context)
  },
})
