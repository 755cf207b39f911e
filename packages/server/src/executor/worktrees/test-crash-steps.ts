import { isSoak, testSeed } from '../../../../../test/seed.ts'

const STRIDE = isSoak ? 1 : 3

/** Numbers of steps to die at, until a try was not killed any more: in a soak every one, else every third by the seed. */
export async function dieAtSteps(tryAt: (step: number) => Promise<boolean>): Promise<number> {
  let step = testSeed % STRIDE
  while (await tryAt(step)) step += STRIDE
  return step
}
