import { ApiError } from '@clawboo/api/client'
import { isAgentFileName } from '@clawboo/core/registry'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useWorkspaceFolder, type WorkspaceEntry, type WorkspaceListing } from '../../../api/agent/workspace.ts'
import type { Agent } from '../../../api/fleet.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago, counted, exactTime } from '../../../ui/words/time-words.ts'
import { byteWords } from '../file-words.ts'
import { LookAgain } from './look-again.tsx'
import { fileLink, folderLink, parentOf, pathIn } from './workspace-path.ts'

/** Rendering more at once is noticeably slow. */
const SHOWN_AT_FIRST = 200

/** The workspace of a Boo, one folder at a time. */
export function FolderList({ agent, path, open }: { agent: Agent; path: string; open: string | undefined }) {
  const heading = useId()
  const folder = useWorkspaceFolder(agent.id, path)
  const gone = folder.error instanceof ApiError && folder.error.code !== 'network'
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-1 border-t border-line p-2 pt-3">
      <div className="flex items-center justify-between pl-2.5">
        <h2 id={heading} className="text-sm font-semibold">
          Workspace
        </h2>
        <LookAgain agentId={agent.id} />
      </div>
      {path === '' ? null : <UpLine agentId={agent.id} path={path} />}
      {folder.data && !gone ? (
        <Listing key={path} agent={agent} path={path} open={open} listing={folder.data} />
      ) : folder.error ? (
        <Words alert>{folderProblem(folder.error, agent, path)}</Words>
      ) : (
        <p role="status" className="px-2.5 text-sm text-muted">
          Loading the workspace
        </p>
      )}
    </section>
  )
}

function folderProblem(error: unknown, agent: Agent, path: string): string {
  const code = error instanceof ApiError ? error.code : 'internal'
  if (code === 'agent_cannot_run') return `You cannot browse the workspace of ${agent.displayName} here.`
  if (code === 'file_not_found') return `The folder "${path}" no longer exists.`
  return readProblem(error, 'the workspace').detail
}

function UpLine({ agentId, path }: { agentId: string; path: string }) {
  const parent = parentOf(path)
  return (
    <p className="flex items-center gap-1.5 pl-1 text-sm">
      <Link
        {...folderLink(agentId, parent)}
        aria-label={parent === '' ? 'Up to the workspace' : `Up to ${parent}`}
        className="flex shrink-0 items-center gap-1 self-start rounded-s px-1.5 py-1 text-muted hover:bg-sunken hover:text-text"
      >
        <Icon name="back" size={14} />
        Up
      </Link>
      <bdi className="min-w-0 py-1 font-mono text-muted">{path}</bdi>
    </p>
  )
}

function Listing(props: {
  readonly agent: Agent
  readonly path: string
  readonly open: string | undefined
  readonly listing: WorkspaceListing
}) {
  const { agent, path, listing } = props
  const now = useNow()
  const [all, setAll] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  // The button that revealed them is gone, so the first of them gets the focus.
  useEffect(() => {
    if (all) list.current?.children[SHOWN_AT_FIRST]?.querySelector('a')?.focus()
  }, [all])
  // The list above shows the agent files, where they can be edited.
  const entries = path === '' ? listing.entries.filter(({ name }) => !isAgentFileName(name)) : listing.entries
  if (entries.length === 0) {
    return path === '' ? (
      <Words>{`Empty. Files that ${agent.displayName} writes appear here.`}</Words>
    ) : (
      <Words>This folder is empty.</Words>
    )
  }
  const newest = Math.max(...entries.map(({ modifiedAt }) => modifiedAt))
  const shown = all ? entries : entries.slice(0, SHOWN_AT_FIRST)
  return (
    <>
      <p className="px-2.5 text-xs text-muted">{`Last change ${ago(newest, now)}`}</p>
      <ul ref={list} className="flex flex-col gap-0.5">
        {shown.map((entry) => (
          <li key={entry.name}>
            <EntryLine
              agentId={agent.id}
              entry={entry}
              path={pathIn(path, entry.name)}
              open={pathIn(path, entry.name) === props.open}
              now={now}
            />
          </li>
        ))}
      </ul>
      {shown.length < entries.length ? (
        <Button kind="quiet" onClick={() => setAll(true)}>{`Show all ${entries.length}`}</Button>
      ) : null}
      {listing.truncated ? (
        <Words>{`Showing only the first ${counted(listing.entries.length, 'entry', 'entries')}.`}</Words>
      ) : null}
    </>
  )
}

function EntryLine(props: {
  readonly agentId: string
  readonly entry: WorkspaceEntry
  readonly path: string
  readonly open: boolean
  readonly now: number
}) {
  const { agentId, entry, path } = props
  const line = (
    <>
      <span className="mt-[3px] text-muted">
        <Icon name={entry.kind === 'folder' ? 'folder' : 'file'} size={14} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline justify-between gap-2">
          <bdi className="min-w-0 font-mono text-sm font-[550]">{entry.name}</bdi>
          <span className="shrink-0 text-xs text-muted tabular-nums">
            {entry.bytes === null ? null : byteWords(entry.bytes)}
          </span>
        </span>
        <span className="block text-xs text-muted" title={exactTime(entry.modifiedAt)}>
          {entry.kind === 'other' ? 'not a plain file, cannot be opened' : ago(entry.modifiedAt, props.now)}
        </span>
      </span>
    </>
  )
  const look = 'flex gap-2 rounded-s px-2.5 py-1.5'
  if (entry.kind === 'other') return <div className={look}>{line}</div>
  return (
    <Link
      {...(entry.kind === 'folder' ? folderLink(agentId, path) : fileLink(agentId, path))}
      aria-current={props.open ? 'page' : undefined}
      className={`${look} hover:bg-sunken aria-[current=page]:bg-surface aria-[current=page]:shadow-[inset_0_0_0_1px_var(--line)]`}
    >
      {line}
    </Link>
  )
}

function Words({ children, alert }: { children: ReactNode; alert?: boolean }) {
  return (
    <p role={alert ? 'alert' : undefined} className="px-2.5 py-1 text-sm text-muted">
      {children}
    </p>
  )
}
