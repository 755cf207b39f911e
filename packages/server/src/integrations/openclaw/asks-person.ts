import { list, object, plain } from './gateway/gateway-frames.ts'

/** An agent's question to its person with the options, in one line; nothing for any other tool call. */
export function asksPerson(tool: string, input: unknown): { readonly summary?: string } {
  if (tool !== 'ask_user') return {}
  const asked = list(object(input).questions).map((asking) => {
    const { question, options } = object(asking)
    const offered = list(options).map((option) => plain(object(option).label))
    return `${plain(question)} (${offered.filter(Boolean).join(' / ') || 'in your own words'})`
  })
  return asked.length > 0 ? { summary: plain(`asks you: ${asked.join('; ')}`) } : {}
}
