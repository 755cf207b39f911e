import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files that take long: they run a contract, or a program over and over. */
const LONG =
  /\/(?:chaos\/[^/]+|injection|conformance|random-states|(?:postgres|sqlite)-store|runtime|agent-source|keep-in-sync|outside-approvals|(?:server|backup)-commands)\.test\.ts$/

/** Vitest begins with the largest files. What takes long and is begun last leaves the other workers without work. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
