import type { Random } from './random.ts'

interface HeldStep {
  readonly label: string
  readonly go: () => void
}

/**
 * Holds every slow operation of one process (disk writes, database calls, model words and tools). The test chooses
 * which one continues next. In a frozen process nothing continues, as in a dead one.
 */
export class HeldSteps {
  readonly #random: Random
  readonly #holdPercent: number
  #held: HeldStep[] = []
  #underWay = 0
  #frozen = false

  constructor(random: Random, holdPercent: number) {
    this.#random = random
    this.#holdPercent = holdPercent
  }

  get held(): readonly string[] {
    return this.#held.map(({ label }) => label)
  }

  get frozen(): boolean {
    return this.#frozen
  }

  /** Waits until it is released, or until the signal fires. */
  hold(label: string, signal?: AbortSignal): Promise<void> {
    if (this.#frozen) return NEVER
    return new Promise((resolve) => {
      const step = { label, go: () => resolve() }
      this.#held.push(step)
      signal?.addEventListener('abort', () => {
        if (this.#frozen) return
        this.#held = this.#held.filter((other) => other !== step)
        resolve()
      })
    })
  }

  /** Delays the start of real work and the report of its end. The work runs completely or not at all. */
  async run<T>(label: string, work: () => Promise<T>): Promise<T> {
    await this.#holdSometimes(`before ${label}`)
    if (this.#frozen) return NEVER
    this.#underWay += 1
    const outcome = await Promise.allSettled([work()])
    this.#underWay -= 1
    await this.#holdSometimes(`after ${label}`)
    if (this.#frozen) return NEVER
    if (outcome[0].status === 'rejected') throw outcome[0].reason
    return outcome[0].value
  }

  letGo(at: number): string {
    const [step] = this.#held.splice(at, 1)
    step!.go()
    return step!.label
  }

  freeze(): void {
    this.#frozen = true
    this.#held = []
  }

  /** Waits until nothing can continue without a release. */
  async settle(): Promise<void> {
    let wasBusy: boolean
    do {
      wasBusy = this.#underWay > 0
      await new Promise(setImmediate)
    } while (wasBusy || this.#underWay > 0)
  }

  #holdSometimes(label: string): Promise<void> | undefined {
    if (this.#frozen) return NEVER
    return this.#random.below(100) < this.#holdPercent ? this.hold(label) : undefined
  }
}

const NEVER = new Promise<never>(() => {})
