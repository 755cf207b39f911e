import { isSoak, testSeed } from '../../../../../test/seed.ts'

const STRIDE = isSoak ? 1 : 5

/**
 * Runs a call again and again, and kills it at a later step each time until the call ends before that step. Resolves to
 * the number of steps. A soak uses every step, other runs every fifth.
 */
export async function dieAtSteps(tryAt: (step: number) => Promise<boolean>): Promise<number> {
  let step = testSeed % STRIDE
  while (await tryAt(step)) step += STRIDE
  return step + 1
}
