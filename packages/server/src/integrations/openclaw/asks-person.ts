import { list, object, plain } from './gateway/gateway-frames.ts'

/** What an agent asks its person by the tool for that, and what it offers, in one line; nothing for any other call. */
export function asksPerson(tool: string, input: unknown): { readonly summary?: string } {
  if (tool !== 'ask_user') return {}
  const asked = list(object(input).questions).map((given) => {
    const { question, options } = object(given)
    const offered = list(options).map((option) => plain(object(option).label))
    return `${plain(question)} (${offered.filter(Boolean).join(' / ') || 'in your own words'})`
  })
  return asked.length > 0 ? { summary: plain(`asks you: ${asked.join('; ')}`) } : {}
}
