import { isSoak, testSeed } from '../../../../../test/seed.ts'

const STRIDE = isSoak ? 1 : 5

/**
 * Tries steps to die at until one was not reached any more: in a soak every one, else every fifth by the seed. Resolves
 * to how many steps were passed.
 */
export async function dieAtSteps(tryAt: (step: number) => Promise<boolean>): Promise<number> {
  let step = testSeed % STRIDE
  while (await tryAt(step)) step += STRIDE
  return step + 1
}
