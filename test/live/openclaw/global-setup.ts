import { startGateway } from './gateway-process.ts'

/** The address of the shared Gateway. Tests create their own agents or sessions in it and never stop it. */
export interface SharedGateway {
  readonly url: string
  readonly port: number
  readonly token: string
  readonly dir: string
  readonly stateDir: string
  readonly configPath: string
  /** The origin of its scripted model. */
  readonly modelUrl: string
}

declare module 'vitest' {
  interface ProvidedContext {
    openclaw: SharedGateway
  }
}

interface TestRun {
  provide(key: 'openclaw', value: SharedGateway): void
}

/** Vitest's global setup: one Gateway for the whole run, because each takes half a minute and a gigabyte. */
export async function setup({ provide }: TestRun): Promise<() => Promise<void>> {
  const { url, port, token, dir, stateDir, configPath, model, stop } = await startGateway()
  provide('openclaw', { url, port, token, dir, stateDir, configPath, modelUrl: model.url })
  return stop
}
