import { registerHooks } from 'node:module'

/** Loaded before a server: where that asks for the list of integrations, it gets one with the gate at its end. */
registerHooks({
  resolve(specifier, context, next) {
    const asksForList = specifier.endsWith('/integrations/index.ts') && /\/server\/src\//.test(context.parentURL ?? '')
    return asksForList ? next(import.meta.resolve('./integrations.ts'), context) : next(specifier, context)
  },
})
