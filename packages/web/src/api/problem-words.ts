import { ApiError } from '@clawboo/api/client'

/** A failed request in words: what happened, then what was kept or what to do. */
export interface Problem {
  readonly title: string
  readonly detail: string
}

/** For a read. */
export function readProblem(error: unknown, what: string): Problem {
  const code = error instanceof ApiError ? error.code : 'internal'
  if (code === 'network') {
    return {
      title: `${what} could not be loaded`,
      detail: 'The server does not answer. Nothing is lost; this loads by itself when it is back.',
    }
  }
  return { title: `${what} could not be loaded`, detail: sentence(error) }
}

/** For a write. What a person typed always stays where it is, and this says so. */
export function writeProblem(error: unknown): string {
  const code = error instanceof ApiError ? generalCode(error) : 'internal'
  switch (code) {
    case 'network':
      return 'Not saved: the server does not answer. What you typed is still here; try again when it is back.'
    case 'upstream_disconnected':
      return 'Not saved: the source of this Boo is offline, and changes reach it first. What you typed is still here.'
    case 'credential_missing':
    case 'credential_refused':
      return 'Not saved: this browser is signed out. What you typed is still here.'
    case 'rate_limited':
      return 'Not saved: too many tries in a short time. Wait a minute and try again.'
    default:
      return `Not saved: ${sentence(error)}`
  }
}

/** An upstream may answer with a code of its own. */
function generalCode({ code, details }: ApiError): unknown {
  return details.code === 'upstream_disconnected' ? details.code : code
}

/** For an answer to something that waits: why it was not taken, what holds now, and what to do. */
export function answerProblem(error: unknown): string {
  const code = error instanceof ApiError ? error.code : 'internal'
  switch (code) {
    case 'network':
      return 'Not answered: the server does not answer. It still waits; answer again when the server is back.'
    case 'credential_missing':
    case 'credential_refused':
      return 'Not answered: this browser is signed out. It still waits; sign in and answer again.'
    case 'rate_limited':
      return 'Not answered: too many tries in a short time. It still waits; answer again in a minute.'
    default:
      return `Not answered: ${sentence(error)} It still waits; answer again.`
  }
}

/** Messages by field, for the fields a form shows. The rest of an error is left to `writeProblem`. */
export function fieldProblems(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {}
  if (error.code === 'agent_name_taken') return { name: 'Another Boo in this team has this name already.' }
  if (error.code === 'team_name_taken') return { name: 'Another team has this name already.' }
  const issues = error.details.issues
  if (!Array.isArray(issues)) return {}
  const found: Record<string, string> = {}
  for (const issue of issues as { path?: unknown; message?: unknown }[]) {
    const path = Array.isArray(issue.path) ? issue.path.join('.') : String(issue.path ?? '')
    // A body's own field may come named with its place in the request.
    const field = path.replace(/^body\./, '')
    found[field] ??= sentenceCase(String(issue.message ?? 'is not valid'))
  }
  return found
}

function sentence(error: unknown): string {
  if (error instanceof ApiError && error.code === 'network') return 'The server does not answer.'
  return sentenceCase(error instanceof Error ? error.message : 'Something went wrong.')
}

function sentenceCase(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(start) ? start : `${start}.`
}
