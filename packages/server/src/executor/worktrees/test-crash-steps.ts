import { isSoak, testSeed } from '../../../../../test/seed.ts'

const STRIDE = isSoak ? 1 : 5

/**
 * Kills a call at one step after the other until the call ends before the step: at every step in a soak, else at every
 * fifth. Resolves to the number of steps.
 */
export async function dieAtSteps(tryAt: (step: number) => Promise<boolean>): Promise<number> {
  let step = testSeed % STRIDE
  while (await tryAt(step)) step += STRIDE
  return step + 1
}
