import type { Output } from '../command.ts'

/** Resolves when the text is flushed: a pipe accepts more than its buffer only step by step. */
export function print(stream: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The reader of a pipe may close it early, as `head` does.
    const onError = (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? resolve() : reject(error))
    stream.once('error', onError)
    stream.write(text, (error) => {
      if (error) return
      stream.off('error', onError)
      resolve()
    })
  })
}
