import fc from 'fast-check'

/** One seed for all random tests of a run, and more rounds in a soak. */
export const testSeed = Number(process.env.CLAWBOO_TEST_SEED ?? 0) || Math.floor(Math.random() * 2 ** 31)

export const isSoak = process.env.CLAWBOO_SOAK === '1'

fc.configureGlobal({ seed: testSeed, numRuns: isSoak ? 1000 : 100 })
