import { type FormEvent, useRef, useState } from 'react'
import { type Limits, useSetLimits } from '../../../api/limits.ts'
import { fieldProblems, saveProblem } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { LIMIT_FIELDS, type LimitField, readTyped, shownLimit } from './limit-fields.ts'

type Typed = Readonly<Record<string, string>>

/** The typed limits, their problems, and saving them. */
export function useLimitTyping(limits: Limits) {
  const save = useSetLimits()
  /** Only the typed values; the rest follow the server. */
  const [typed, setTyped] = useState<Typed>({})
  /** The fields that a save rejected; they are checked again while typing. */
  const [rejected, setRejected] = useState<ReadonlySet<string>>(new Set())
  const form = useRef<HTMLFormElement>(null)
  const lastField = useRef<HTMLElement>(null)
  const { patch, problems } = readTyped(typed, limits)
  const refused = fieldProblems(save.error)
  const textOf = (field: LimitField) => typed[field.name] ?? shownLimit(limits, field)
  // The buttons disappear or are disabled; a person who is typing keeps the focus.
  const refocus = () => (document.activeElement instanceof HTMLInputElement ? undefined : lastField.current?.focus())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = LIMIT_FIELDS.filter(({ name }) => problems[name])
    setRejected(new Set(wrong.map(({ name }) => name)))
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
    /** An error that belongs to no field. */
    problem: save.error && !LIMIT_FIELDS.some(({ name }) => refused[name]) ? saveProblem(save.error) : null,
    textOf,
    problemOf: ({ name }: LimitField) => (rejected.has(name) ? problems[name] : undefined) ?? refused[name],
    type: ({ name }: LimitField, text: string) => {
      if (refused[name]) save.reset()
      setTyped((before) => ({ ...before, [name]: text }))
    },
    /** The focused field, so that focus stays in the form when the buttons disappear. */
    noteField: (field: HTMLElement) => {
      lastField.current = field
    },
    submit,
    cancel: () => {
      setTyped({})
      setRejected(new Set())
      save.reset()
      lastField.current?.focus()
    },
  }
}

/** Keeps values typed during the save. */
export function typedSince(sent: Typed, now: Typed): Typed {
  return Object.fromEntries(Object.entries(now).filter(([name, text]) => sent[name] !== text))
}
