import type { RuntimeScript, RuntimeScriptStep } from '@clawboo/core/contract'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import type { Attention } from '../../executor/attention/attention.ts'
import type { Store } from '../../store/open-store.ts'

const OPENING = 'Please play this: '

/** A person who answers each item with the script in its text. */
export interface TestPerson {
  prompt(script: RuntimeScript): string
  /** The text of every item they received. */
  readonly seen: string[]
  release(): void
  close(): Promise<void>
}

const LOOK_MS = 2

export function playPerson(store: Store, attention: Attention): TestPerson {
  const seen: string[] = []
  const known = new Set<string>()
  const released = Promise.withResolvers<void>()
  const closing = new AbortController()
  const gone = new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve()))
  const playing: Promise<void>[] = []
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      void gone.then(() => {
        clearTimeout(timer)
        resolve()
      })
    })

  const play = async (item: AttentionItem) => {
    const give = async (answer: AttentionAnswer, text = '') => {
      if (closing.signal.aborted) throw new Error('closed')
      await attention.answer(item.id, answer, 'operator', text)
    }
    const steps = JSON.parse(item.detail.slice(OPENING.length)) as RuntimeScriptStep[]
    for (const [at, step] of steps.entries()) {
      if ('failFatally' in step) return give('refuse', step.failFatally)
      if ('say' in step) {
        if (at === steps.length - 1) return give('done', step.say)
        await give('answer', step.say)
      } else if ('wait' in step) await pause(step.wait)
      else if ('hang' in step) await gone
      else if (!('think' in step)) {
        await give('accept')
        if ('callTool' in step && step.callTool === 'held') await Promise.race([released.promise, gone])
        // A person has no host tools, so the step is accepted and starts over without one.
        if ('callHostTool' in step) await give('accept')
        await give('answer', 'as it is')
      }
    }
    await give('done')
  }
  const look = async () => {
    while (!closing.signal.aborted) {
      for (const item of await store.attention.openTasks()) {
        if (known.has(item.id)) continue
        known.add(item.id)
        seen.push(item.detail)
        // Ignored: the item may be withdrawn at any moment, and then no answer is accepted.
        playing.push(play(item).catch(() => {}))
      }
      await pause(LOOK_MS)
    }
  }
  const looking = look()
  return {
    prompt: (script) => OPENING + JSON.stringify(script),
    seen,
    release: () => released.resolve(),
    async close() {
      closing.abort()
      await looking
      await Promise.all(playing)
    },
  }
}
