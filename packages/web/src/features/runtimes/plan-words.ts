import type { Runtime } from '../../api/fleet.ts'

type Plan = Pick<Runtime, 'participantKind' | 'home' | 'keepsSkills' | 'keepsMemory' | 'delivery'>

/** What persists in a runtime between runs. Empty for people. */
export function planWords({ participantKind, home, keepsSkills, keepsMemory, delivery }: Plan): string {
  if (participantKind === 'human') return ''
  const kept = [...(keepsSkills ? ['skills'] : []), ...(keepsMemory ? ['memory'] : [])]
  const keeps =
    kept.length === 0 ? 'Keeps no skills or memory between runs.' : `Keeps ${kept.join(' and ')} between runs.`
  return [HOMES[home], keeps, ...(delivery === 'own-channels' ? ['Also delivers over its own channels.'] : [])].join(
    ' ',
  )
}

const HOMES: Readonly<Record<Plan['home'], string>> = {
  connected: 'Its Boos live there.',
  persistent: 'Each Boo has its own folder.',
  ephemeral: 'Each run starts in a new folder.',
}

/** The capabilities that a runtime lacked at its last run; null when there are none. */
export function missingWords({ missingClaims }: Pick<Runtime, 'missingClaims'>): string | null {
  if (missingClaims.length === 0) return null
  return `At its last run it couldn't ${missingClaims.map((claim) => CLAIMS[claim] ?? claim).join(', ')}.`
}

const CLAIMS: Readonly<Record<string, string>> = {
  streaming: 'show text as it is written',
  mcp: 'use Clawboo’s tools',
  worktrees: 'work in a task’s folder',
  resume: 'continue a conversation',
  steering: 'take a message while it works',
  toolApproval: 'ask before it acts',
  models: 'use the model you choose',
  asksBeforeModelCall: 'check limits before each model call',
  readsFiles: 'read its Boo’s files',
}
