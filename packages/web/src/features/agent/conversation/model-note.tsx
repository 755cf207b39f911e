import { Link } from '@tanstack/react-router'
import { type Conversation, useChangeConversation } from '../../../api/conversation.ts'
import { type Agent, useRuntime } from '../../../api/fleet.ts'
import { useProviders } from '../../../api/providers.ts'
import { problemWords } from '../../../shared/problem-words.ts'
import { modelInForce, modelOf } from '../../../shared/provider/model-in-force.ts'
import { announce } from '../../../ui/announcement.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Note, NoteButton } from '../../../ui/note.tsx'

/** Shown when no model can answer: the reason and two remedies. */
export function ModelNote({ agent, conversation }: { agent: Agent; conversation: Conversation }) {
  const providers = useProviders().data
  const runtime = useRuntime(agent.runtime)
  const change = useChangeConversation(agent.id)
  // A runtime with its own models needs none of the models set up here.
  if (!providers || !runtime || runtime.ownModels) return null
  const model = modelInForce(providers, { conversation: conversation.settings.model, agent: modelOf(agent.execConfig) })
  if (model.problem === null) return null
  const { demoModel } = providers
  return (
    <Note tone="needs" live>
      <span>{model.problem}</span>
      <Link to="/settings/models" className="rounded-s font-semibold underline-offset-2 hover:underline">
        Set up a model
      </Link>
      {demoModel === null || demoModel === model.ref ? null : (
        <PassesFocus>
          <NoteButton
            onClick={() =>
              change.mutate(
                { model: demoModel },
                {
                  onSuccess: () => announce('The demo model replies here now. It is scripted, not an AI.'),
                  onError: (error) => announce(problemWords(error, 'change the model'), 'bad'),
                },
              )
            }
          >
            Use the demo model (scripted, not an AI)
          </NoteButton>
        </PassesFocus>
      )}
    </Note>
  )
}
