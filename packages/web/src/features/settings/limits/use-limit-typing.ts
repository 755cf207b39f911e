import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { type Limits, useSetLimits } from '../../../api/limits.ts'
import { fieldProblems, saveProblem } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { LIMIT_FIELDS, type LimitField, readTyped, shownLimit } from './limit-fields.ts'

export interface LimitTyping {
  readonly form: RefObject<HTMLFormElement | null>
  readonly dirty: boolean
  readonly saving: boolean
  /** What went wrong and belongs to no field. */
  readonly problem: string | null
  readonly textOf: (field: LimitField) => string
  readonly problemOf: (field: LimitField) => string | undefined
  readonly type: (field: LimitField, text: string) => void
  /** Where the keyboard is, so that it has a place when the buttons go away. */
  readonly noteField: (field: HTMLElement) => void
  readonly submit: (event: FormEvent) => void
  readonly cancel: () => void
}

type Typed = Readonly<Record<string, string>>

/** What is typed into the limits, what is wrong with it, and its way to the server. */
export function useLimitTyping(limits: Limits): LimitTyping {
  const save = useSetLimits()
  /** Only what was typed; the rest follows the server. */
  const [typed, setTyped] = useState<Typed>({})
  /** What a try to save found wrong; from then on it follows what is typed there. */
  const [told, setTold] = useState<ReadonlySet<string>>(new Set())
  const form = useRef<HTMLFormElement>(null)
  const lastField = useRef<HTMLElement>(null)
  const { patch, problems } = readTyped(typed, limits)
  const refused = fieldProblems(save.error)
  const textOf = (field: LimitField) => typed[field.name] ?? shownLimit(limits, field)
  // The buttons go away, or are out of use meanwhile; whoever went on typing stays there.
  const refocus = () => (document.activeElement instanceof HTMLInputElement ? undefined : lastField.current?.focus())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = LIMIT_FIELDS.filter(({ name }) => problems[name])
    setTold(new Set(wrong.map(({ name }) => name)))
    if (wrong[0]) return form.current?.querySelector<HTMLElement>(`[name="${wrong[0].name}"]`)?.focus()
    save.mutate(patch, {
      onSuccess: () => {
        setTyped((now) => typedSince(typed, now))
        announce('Limits saved. They apply now.')
      },
      onSettled: refocus,
    })
  }
  return {
    form,
    dirty: LIMIT_FIELDS.some((field) => textOf(field) !== shownLimit(limits, field)),
    saving: save.isPending,
    problem: save.error && !LIMIT_FIELDS.some(({ name }) => refused[name]) ? saveProblem(save.error) : null,
    textOf,
    problemOf: ({ name }) => (told.has(name) ? problems[name] : undefined) ?? refused[name],
    type: ({ name }, text) => {
      if (refused[name]) save.reset()
      setTyped((before) => ({ ...before, [name]: text }))
    },
    noteField: (field) => {
      lastField.current = field
    },
    submit,
    cancel: () => {
      setTyped({})
      setTold(new Set())
      save.reset()
      lastField.current?.focus()
    },
  }
}

/** What was typed while the rest was on its way stays. */
export function typedSince(sent: Typed, now: Typed): Typed {
  return Object.fromEntries(Object.entries(now).filter(([name, text]) => sent[name] !== text))
}
