import { Link } from '@tanstack/react-router'
import { memo, type ReactNode, useMemo } from 'react'
import type { Agent } from '../../../api/fleet.ts'
import type { RoomPost } from '../../../api/room/room.ts'
import { useRun } from '../../../api/runs.ts'
import { foldRun } from '../../../live/fold-run.ts'
import { AgentAvatar } from '../../../shared/agent/agent-look.tsx'
import { participantName } from '../../../shared/agent/participant-name.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { useIsScripted } from '../../../shared/provider/model-in-force.ts'
import { SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { RunBlocks } from '../../../shared/run/run-view.tsx'
import { endOfRun, figureWords } from '../../../shared/run/run-words.ts'
import { Message } from '../../../shared/transcript/transcript.tsx'
import { BooAvatar, MASCOT_SEED } from '../../../ui/boo/boo-avatar.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icon.tsx'
import { CopyButton } from '../../../ui/markdown/code-block.tsx'
import { MarkdownText } from '../../../ui/markdown/markdown-text.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { counted, exactTime } from '../../../ui/words/time-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { shownBlocks } from './live-turn.ts'
import type { PostRow } from './post-rows.ts'
import { credentialWords, timeWords } from './post-words.ts'
import { type FoldedLines, SystemLine } from './system-line.tsx'

export interface PostViewProps {
  readonly row: PostRow
  readonly members: RoomMembers
  /** Whether the address points to this post. */
  readonly isMarked: boolean
  /** Whether the steps of its run are shown. */
  readonly isOpen: boolean
  readonly onOpen: (seq: number) => void
  /** Whether a long post is shown in full. */
  readonly isWhole: boolean
  readonly onWhole: (seq: number) => void
  /** The lines that this row represents; null = none. */
  readonly folded: FoldedLines | null
}

/** One post. Its author, credential and actions appear on hover and on focus. */
export const PostView = memo(function PostView(props: PostViewProps) {
  const { row, members, isMarked, isOpen, onOpen, folded } = props
  const { post, isContinued } = row
  return (
    <article
      aria-label={`${authorName(post, members)}, ${timeWords(post.createdAt)}`}
      // The row's own number, even when it shows a newer line.
      data-seq={folded?.fold.first ?? post.seq}
      className={classNames(
        'group/post relative -mx-2 min-w-0 rounded-s px-2 hover:bg-bg focus-within:bg-bg',
        isContinued || post.kind === 'system' ? 'py-[3px]' : 'mt-2.5 pt-1 pb-[3px]',
        isMarked && 'bg-accent-soft! shadow-[inset_2px_0_0_var(--accent)]',
      )}
    >
      {post.kind === 'system' ? (
        <SystemLine post={post} folded={folded} />
      ) : (
        <PostMessage {...props}>
          {isOpen && post.runId ? <RunSteps runId={post.runId} message={post.body} /> : null}
        </PostMessage>
      )}
      {/* Folded lines are several posts; each shows its own actions once unfolded. */}
      {folded && !folded.isOpen ? null : (
        <PostBar post={post} isAbove={folded !== null} isOpen={isOpen} onOpen={onOpen} />
      )}
    </article>
  )
})

function PostMessage(props: PostViewProps & { readonly children: ReactNode }) {
  const { row, members, isMarked } = props
  const { post, isContinued } = row
  const agent = post.author.kind === 'agent' ? members.agent(post.author.id) : undefined
  return (
    <Message
      face={isContinued ? <ContinuedTime post={post} /> : <Face post={post} members={members} />}
      name={isContinued ? null : authorName(post, members)}
      marks={
        <>
          {post.to.length > 0 ? (
            <span className="flex min-w-0 items-baseline gap-1 text-sm text-accent-text">
              <span aria-hidden="true">→</span>
              <span className="sr-only">to</span>
              <bdi className="truncate">{post.to.map((id) => members.nameOf(id)).join(', ')}</bdi>
            </span>
          ) : null}
          <ScriptedMark agent={agent} />
        </>
      }
      time={<PostTime post={post} />}
      className="gap-0.5"
    >
      {props.children}
      <div
        dir="auto"
        data-said
        className={classNames(
          'min-w-0 max-w-full',
          post.kind === 'user' && 'w-fit rounded-m rounded-tl-[4px] px-3 py-2',
          post.kind === 'user' && (isMarked ? 'bg-surface' : 'bg-accent-soft'),
        )}
      >
        <Words {...props} />
      </div>
    </Message>
  )
}

/** Shows the time in place of the face, for a post that continues the one above. */
function ContinuedTime({ post }: { post: RoomPost }) {
  return (
    <span className="block text-center text-[10px] whitespace-nowrap text-muted opacity-0 group-focus-within/post:opacity-100 group-hover/post:opacity-100">
      <PostTime post={post} />
    </span>
  )
}

/** Shows the start of a long post, and the rest on demand. */
const SHOWN_CHARACTERS = 3_000
const SHOWN_LINES = 80

function Words({ row: { post }, isWhole, onWhole }: PostViewProps) {
  const beginning = isWhole ? post.body : beginningOf(post.body)
  if (beginning.length === post.body.length) return <MarkdownText text={post.body} />
  return (
    <>
      <MarkdownText text={`${beginning.trimEnd()} …`} />
      <button
        type="button"
        onClick={() => onWhole(post.seq)}
        className="mt-1 rounded-s text-sm font-[550] text-accent-text underline-offset-2 hover:underline"
      >
        {`Show all ${counted(post.body.length, 'character')}`}
      </button>
    </>
  )
}

function beginningOf(body: string): string {
  if (body.length <= SHOWN_CHARACTERS && body.split('\n', SHOWN_LINES + 2).length <= SHOWN_LINES + 1) return body
  return body.slice(0, SHOWN_CHARACTERS).split('\n').slice(0, SHOWN_LINES).join('\n')
}

/** A link to the post itself. */
function PostTime({ post }: { post: RoomPost }) {
  return (
    <Link
      to="/teams/$teamId/room"
      params={{ teamId: post.teamId }}
      search={{ post: post.seq }}
      aria-label={`Link to this post, ${timeWords(post.createdAt)}`}
      className="rounded-s tabular-nums underline-offset-2 hover:underline"
    >
      <time dateTime={new Date(post.createdAt).toISOString()}>{timeWords(post.createdAt)}</time>
    </Link>
  )
}

function Face({ post, members }: { post: RoomPost; members: RoomMembers }) {
  const { author } = post
  if (author.kind === 'system') return <Icon name="notice" />
  const agent = members.agent(author.id)
  if (agent) return <AgentAvatar agent={agent} size={28} />
  if (author.kind === 'person') return <BooAvatar seed={author.id} person size={28} />
  return <BooAvatar seed={author.id || MASCOT_SEED} eyes="unknown" size={28} />
}

export function authorName({ author }: RoomPost, members: RoomMembers): string {
  if (author.kind === 'system') return 'Clawboo'
  return participantName(author, members.agent(author.id))
}

const doingClass =
  'inline-flex h-6 shrink-0 items-center gap-1 rounded-s px-1.5 text-xs whitespace-nowrap text-accent-text hover:bg-bg max-wide:h-10 max-wide:px-2.5'

/** The credential, exact time and run of a post. It floats; on a phone it is below the post. */
function PostBar(props: {
  readonly post: RoomPost
  /** Whether the bar is above the post, so that it covers no control in it. */
  readonly isAbove: boolean
  readonly isOpen: boolean
  readonly onOpen: (seq: number) => void
}) {
  const { post, isAbove, isOpen, onOpen } = props
  return (
    <div
      className={classNames(
        'z-10 hidden items-center gap-1 rounded-s border border-line bg-raised px-1 group-focus-within/post:flex group-hover/post:flex',
        'max-wide:mt-1 max-wide:ml-10 max-wide:flex-wrap wide:absolute wide:right-2 wide:max-w-[calc(100%-16px)] wide:shadow-float',
        isAbove ? 'wide:bottom-full' : 'wide:-top-3',
      )}
    >
      <span className="min-w-0 px-1 text-xs text-muted max-wide:basis-full max-wide:pt-1.5 wide:truncate">
        {`${credentialWords(post)} · ${exactTime(post.createdAt)}`}
      </span>
      {post.runId && post.kind !== 'system' ? (
        <>
          <button type="button" aria-expanded={isOpen} onClick={() => onOpen(post.seq)} className={doingClass}>
            <Icon name="terminal" size={12} />
            {isOpen ? 'Fold' : 'Steps'}
          </button>
          <Link to="/runs/$runId" params={{ runId: post.runId }} className={doingClass}>
            <Icon name="runs" size={12} />
            Run
          </Link>
        </>
      ) : null}
      <CopyButton text={post.body} className="shrink-0 whitespace-nowrap max-wide:h-10 max-wide:after:hidden" />
    </div>
  )
}

/** Marks the posts of a Boo with scripted answers. */
export function ScriptedMark({ agent }: { agent: Agent | undefined }) {
  const isScripted = useIsScripted()
  return agent && isScripted(agent) ? <Pill tone="outline">{SCRIPTED}</Pill> : null
}

/** The steps of a run besides its message, loaded on demand. */
function RunSteps({ runId, message }: { runId: string; message: string }) {
  const { data, error } = useRun(runId)
  const fold = useMemo(() => foldRun(data?.entries ?? []), [data])
  const blocks = useMemo(() => shownBlocks(fold.blocks, [{ body: message }]), [fold, message])
  if (error) return <p className="text-sm text-bad">{readProblem(error, 'the steps').detail}</p>
  if (!data) return <p className="text-sm text-muted">Loading its steps</p>
  const { run } = data
  return (
    <section
      aria-label={`What ${run.agentName} did`}
      className="my-1.5 flex min-w-0 flex-col gap-2 border-l-2 border-line pl-3"
    >
      {blocks.length === 0 ? <p className="text-sm text-muted">No steps besides this message.</p> : null}
      <RunBlocks runId={runId} name={run.agentName} fold={fold} blocks={blocks} end={endOfRun(run, fold)} isReadOnly />
      <p className="text-xs text-muted tabular-nums">
        {run.state === 'ended' ? figureWords(run) : 'Still running'}{' '}
        <Link
          to="/runs/$runId"
          params={{ runId }}
          className="rounded-s text-accent-text underline-offset-2 hover:underline"
        >
          Open the run
        </Link>
      </p>
    </section>
  )
}
