import { Link } from '@tanstack/react-router'
import type { RoomPost } from '../../../api/room/room.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icon.tsx'
import { CopyButton } from '../../../ui/markdown/code-block.tsx'
import { exactTime } from '../../../ui/words/time-words.ts'
import { credentialWords } from './post-words.ts'

const doingClass =
  'inline-flex h-6 shrink-0 items-center gap-1 rounded-s px-1.5 text-xs whitespace-nowrap text-accent-text hover:bg-bg max-wide:h-10 max-wide:px-2.5'

/** The credential, exact time and run of a post. It floats; on a phone it is below the post. */
export function PostBar(props: {
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
