import { ClawbooError } from '@clawboo/core'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Conversations } from '../../executor/conversations/conversations.ts'
import type { Agents } from '../../registry/agents.ts'
import type { Handlers } from '../app.ts'

const RUNS_PER_PAGE = 20
const MESSAGES_PER_PAGE = 100

export function conversationRoutes({ agents, conversations }: { agents: Agents; conversations: Conversations }) {
  return {
    sendMessage: ({ params, body }) => conversations.send({ agentId: params.agentId, ...body }),
    async listMessages({ params, query: { session, state, limit = MESSAGES_PER_PAGE } }) {
      return { messages: await conversations.messages(params.agentId, { sessionKey: session, state, limit }) }
    },
    withdrawMessage: ({ params }) => conversations.withdraw(params.agentId, params.messageId),
    readConversation: ({ params, query: { session, before, limit = RUNS_PER_PAGE } }) =>
      conversations.read(params.agentId, { sessionKey: session, before, limit }),
    changeConversation: ({ params, body }) => conversations.change(params.agentId, body),
    resetConversation: ({ params, body }) => conversations.reset(params.agentId, body.sessionKey).then(() => undefined),
    async followAgent({ params, incoming, outgoing }) {
      if (incoming.method === 'HEAD')
        throw new ClawbooError('method_not_allowed', 'an event stream has no HEAD response')
      await agents.get(params.agentId)
      conversations.follow(outgoing, params.agentId)
      return RESPONSE_ALREADY_SENT
    },
    stopAgent: ({ params, body }) => conversations.stop(params.agentId, body),
    inspectAgent: ({ params, query }) => conversations.inspect(params.agentId, query.session),
  } satisfies Partial<Handlers>
}
