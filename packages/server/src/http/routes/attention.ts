import type { Attention } from '../../executor/attention/attention.ts'
import type { Handlers } from '../app.ts'

const ITEMS_PER_PAGE = 100

export function attentionRoutes({ attention }: { attention: Attention }) {
  return {
    listAttention: async ({ query: { state, limit = ITEMS_PER_PAGE } }) => ({
      items: await attention.list({ state, limit }),
    }),
    answerAttention: ({ params, body }) => attention.answer(params.itemId, body.answer, undefined, body.text),
  } satisfies Partial<Handlers>
}
