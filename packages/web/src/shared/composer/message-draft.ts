import { readStored, writeStored } from '../../ui/state/stored-text.ts'

const keyOf = (agentId: string) => `clawboo.message.${agentId}`

/** What was typed to an agent and not sent. It outlives the tab. */
export function readMessageDraft(agentId: string): string {
  return readStored(keyOf(agentId)) ?? ''
}

export function writeMessageDraft(agentId: string, text: string): void {
  writeStored(keyOf(agentId), text === '' ? null : text)
}
