import type { Evidence } from '@clawboo/core/board'
import { type FormEvent, useState } from 'react'
import { type TaskDetail, type TaskOverride, useOverride, useSignOff } from '../../../api/tasks.ts'
import { Problem } from '../../../shared/problem.tsx'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icon.tsx'
import { usePassesFocus } from '../../../ui/keyboard/focus-place.ts'
import { readStored } from '../../../ui/state/stored-text.ts'
import { useNow } from '../../../ui/state/use-now.ts'
import { useStoredDraft } from '../../../ui/state/use-stored-draft.ts'
import { TextArea } from '../../../ui/text-field.tsx'
import { clockWords, exactTime } from '../../../ui/words/time-words.ts'
import { judgeDrop } from '../drop-place.ts'
import { evidenceTone, evidenceWords, LACK_WORDS } from '../task-words.ts'
import { Part } from './panel-frame.tsx'

export function TaskEvidence({ detail }: { detail: TaskDetail }) {
  const { task, evidence, overrides, lack } = detail
  const mayClose = task.status !== 'done' && judgeDrop(task, 'done').ok
  const box = usePassesFocus<HTMLDivElement>(() => box.current?.focus())
  return (
    <div ref={box} tabIndex={-1} className="outline-none">
      <Part title="Evidence">
        {lack && task.status !== 'done' ? (
          <p
            className={classNames(
              'rounded-s px-3 py-2 text-sm',
              task.status === 'in_review' ? 'bg-needs-soft text-needs' : 'bg-sunken text-muted',
            )}
          >{`Missing for done: ${lack.message}`}</p>
        ) : null}
        {evidence.length === 0 && overrides.length === 0 ? (
          lack && task.status !== 'done' ? null : (
            <p className="text-muted">No evidence yet.</p>
          )
        ) : (
          <ul aria-label="Evidence" className="flex flex-col gap-1.5">
            {evidence.map((one) => (
              <EvidenceLine key={one.id} evidence={one} changedAt={task.changedAt} />
            ))}
            {overrides.map((one) => (
              <OverrideLine key={one.id} override={one} />
            ))}
          </ul>
        )}
        {mayClose ? <Closing detail={detail} /> : null}
      </Part>
    </div>
  )
}

function EvidenceLine({ evidence, changedAt }: { evidence: Evidence; changedAt: number | null }) {
  const now = useNow()
  const isOld = changedAt !== null && evidence.at < changedAt
  const tone = evidenceTone(evidence)
  return (
    <li className="flex items-start gap-2">
      <span className={classNames('mt-0.5', isOld ? 'text-muted' : tone === 'good' ? 'text-good' : 'text-bad')}>
        <Icon name={tone === 'good' ? 'check' : 'close'} size={14} />
      </span>
      <span className={classNames('min-w-0 flex-1', isOld && 'text-muted')}>
        {evidenceWords(evidence)}
        {isOld ? <span className="text-sm"> · too old: something changed since</span> : null}
      </span>
      <Time at={evidence.at} now={now} />
    </li>
  )
}

function OverrideLine({ override }: { override: TaskOverride }) {
  const now = useNow()
  return (
    <li className="flex items-start gap-2">
      <span className="mt-0.5 text-needs">
        <Icon name="notice" size={14} />
      </span>
      <span className="min-w-0 flex-1">
        {`${override.by.name} marked it done although ${LACK_WORDS[override.lack]}: “${override.reason}”`}
      </span>
      <Time at={override.at} now={now} />
    </li>
  )
}

function Time({ at, now }: { at: number; now: number }) {
  return (
    <span className="shrink-0 text-sm text-muted tabular-nums" title={exactTime(at)}>
      {clockWords(at, now)}
    </span>
  )
}

/** The forms to approve a task, which adds evidence, or to mark it done without evidence. */
function Closing({ detail }: { detail: TaskDetail }) {
  const { task, lack } = detail
  const [isOverriding, setOverriding] = useState(() => readStored(overrideKey(task.id)) !== null)
  const signOff = useSignOff(task.id)
  const sign = () =>
    void signOff.mutateAsync(undefined).then(
      ({ warnings }) => announce([`“${task.title}” approved and done.`, ...warnings].join(' ')),
      // The error is shown below.
      () => undefined,
    )
  return (
    <div className="mt-1 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          kind={task.status === 'in_review' ? 'primary' : 'plain'}
          icon="check"
          aria-disabled={signOff.isPending}
          onClick={() => {
            if (!signOff.isPending) sign()
          }}
        >
          {signOff.isPending ? 'Approving' : 'Approve'}
        </Button>
        {lack && !isOverriding ? (
          <Button kind="quiet" onClick={() => setOverriding(true)}>
            Done without evidence
          </Button>
        ) : null}
      </div>
      <p className="text-sm text-muted">Marks it done under your name.</p>
      <Problem error={signOff.error} action="approve" />
      {isOverriding ? <OverrideForm detail={detail} onClose={() => setOverriding(false)} /> : null}
    </div>
  )
}

const overrideKey = (taskId: string) => `clawboo.override.${taskId}`

function OverrideForm({ detail, onClose }: { detail: TaskDetail; onClose: () => void }) {
  const [reason, setReason] = useStoredDraft(overrideKey(detail.task.id))
  const [isMissing, setMissing] = useState(false)
  const override = useOverride(detail.task.id)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() === '') return setMissing(true)
    void override.mutateAsync(reason.trim()).then(
      () => {
        setReason('')
        announce(`“${detail.task.title}” marked done without evidence.`)
      },
      // The error is shown below.
      () => undefined,
    )
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-2 rounded-m border border-line p-3">
      <TextArea
        label="Why it is done without evidence"
        hint="Your name, the time and this reason are stored with the task."
        rows={2}
        maxLength={2000}
        value={reason}
        error={isMissing && reason.trim() === '' ? 'Enter a reason.' : undefined}
        onChange={(event) => setReason(event.target.value)}
        autoFocus={reason === ''}
      />
      <Problem error={override.error} action="mark it done" />
      <div className="flex gap-2">
        <Button type="submit" kind="danger" disabled={override.isPending}>
          {override.isPending ? 'Marking done' : 'Mark done'}
        </Button>
        <Button
          onClick={() => {
            setReason('')
            onClose()
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  )
}
