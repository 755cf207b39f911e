import type { Output } from './command.ts'

/** Resolves when it is out: a pipe takes more than its buffer only bit by bit. */
export function print(stream: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Whoever reads may have seen enough, as `head` does.
    const onError = (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? resolve() : reject(error))
    stream.once('error', onError)
    stream.write(text, (error) => {
      if (error) return
      stream.off('error', onError)
      resolve()
    })
  })
}
