import type { Agent } from '../../../api/fleet.ts'
import { AgentAvatar } from '../../../shared/agent/agent-avatar.tsx'
import { roleOf } from '../../../shared/agent/agent-words.ts'

const FIRST_WORDS = [
  'What can you do here, and what do you need from me?',
  'Write a short plan for this week into plan.md.',
  'Look at the files in your workspace and summarize them.',
]

/** An empty conversation: suggestions for a first message. */
export function ConversationStart({ agent, onSuggest }: { agent: Agent; onSuggest: (text: string) => void }) {
  const role = roleOf(agent)
  return (
    <div className="m-auto flex max-w-[440px] flex-col items-center gap-3 py-10 text-center">
      <AgentAvatar agent={agent} size={72} />
      <h2 className="text-lg font-[620]">{`Message ${agent.displayName}`}</h2>
      <p className="text-muted">
        {`${role ? `${role}. ` : ''}${agent.displayName} replies here and shows each step. It asks before it runs commands.`}
      </p>
      <ul className="flex flex-col gap-2">
        {FIRST_WORDS.map((words) => (
          <li key={words}>
            <button
              type="button"
              onClick={() => onSuggest(words)}
              className="w-full rounded-m border border-line px-3 py-2 text-left text-sm hover:border-line-strong hover:bg-bg"
            >
              {words}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
