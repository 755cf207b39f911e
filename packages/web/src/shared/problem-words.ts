import { ApiError } from '@clawboo/api/client'
import { sentence } from '../ui/words/sentence.ts'

/** A failed request in words: what happened, then what was kept or what to do. */
export interface Problem {
  readonly title: string
  readonly detail: string
}

export function readProblem(error: unknown, what: string): Problem {
  return {
    title: `Couldn't load ${what}`,
    detail:
      codeOf(error) === 'network'
        ? "The server isn't responding. Nothing is lost. This loads again when it's back."
        : reasonOf(error),
  }
}

/** Follows the reason when a form keeps its text. */
export const TEXT_IS_KEPT = 'What you typed is still here.'

/** Describes a failed action: "Couldn't merge." with the reason, the state of the data and the next step. */
export function problemWords(error: unknown, action: string, kept = ''): string {
  return [`Couldn't ${action}.`, reasonOf(error), kept, adviceFor(error)].filter((words) => words !== '').join(' ')
}

/** Describes a failed save of a form. */
export function saveProblem(error: unknown): string {
  return problemWords(error, 'save', TEXT_IS_KEPT)
}

/** The error of a form: the messages at its fields, and one for the whole form if none of these fields shows it. */
export function formProblems(
  error: unknown,
  shownFields: readonly string[],
): { readonly at: Readonly<Record<string, string>>; readonly rest: string | null } {
  const at = fieldProblems(error)
  return { at, rest: error && !shownFields.some((field) => at[field]) ? saveProblem(error) : null }
}

/** Describes an answer to an approval or a task that was not stored. */
export function answerProblem(error: unknown): string {
  return problemWords(error, 'answer', 'The question still waits.')
}

export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'network':
      return "The server isn't responding."
    case 'upstream_disconnected':
      return "This Boo's source is offline."
    case 'credential_missing':
    case 'credential_refused':
      return 'This browser is signed out.'
    case 'rate_limited':
      return 'Too many tries in a short time.'
    default:
      return sentence(error instanceof Error ? error.message : 'Something went wrong.')
  }
}

/** Empty for a refusal, because its reason already explains the problem. */
function adviceFor(error: unknown): string {
  switch (codeOf(error)) {
    case 'network':
      return "Try again when it's back."
    case 'upstream_disconnected':
      return "Try again when it's connected."
    case 'credential_missing':
    case 'credential_refused':
      return 'Sign in and try again.'
    case 'rate_limited':
      return 'Try again in a minute.'
    default:
      return error instanceof ApiError && error.status < 500 ? '' : 'Try again.'
  }
}

/** An upstream may have its own error code; the general code is then in the details. */
function codeOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'internal'
  return error.details.code === 'upstream_disconnected' ? 'upstream_disconnected' : error.code
}

/** Messages by field, for the fields a form shows. `saveProblem` shows the rest of an error. */
export function fieldProblems(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {}
  if (error.code === 'agent_name_taken') return { name: 'Another Boo in this team has this name already.' }
  if (error.code === 'team_name_taken') return { name: 'Another team has this name already.' }
  const issues = error.details.issues
  if (!Array.isArray(issues)) return {}
  const found: Record<string, string> = {}
  for (const issue of issues as { path?: unknown; message?: unknown }[]) {
    const path = Array.isArray(issue.path) ? issue.path.join('.') : String(issue.path ?? '')
    // The field of a body may include its position in the request.
    const field = path.replace(/^body\./, '')
    found[field] ??= sentence(String(issue.message ?? 'is not valid'))
  }
  return found
}
