import { ApiError } from '@clawboo/api/client'
import { WORKSPACE_MAX_BYTES } from '@clawboo/core/executor'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRefreshWorkspace, useWorkspaceFile, type WorkspaceFile } from '../../../api/agent/workspace.ts'
import { Loaded } from '../../../shared/loaded.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Note } from '../../../ui/note.tsx'
import { usePageActions } from '../../../ui/page-actions.ts'
import { EmptyState } from '../../../ui/page-states.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago, exactTime } from '../../../ui/words/time-words.ts'
import { byteWords } from '../file-words.ts'
import { LookAgain } from './look-again.tsx'
import { folderLink, nameOf, parentOf } from './workspace-path.ts'

const route = getRouteApi('/shell/agents/$agentId/files/in-folder')

/** A file of a Boo's workspace as it is now. It is read-only here. */
export function WorkspaceFilePage() {
  const { agentId } = route.useParams()
  const { path = '' } = route.useSearch()
  return <OpenFile key={`${agentId} ${path}`} agentId={agentId} path={path} />
}

function OpenFile({ agentId, path }: { agentId: string; path: string }) {
  const file = useWorkspaceFile(agentId, path)
  const lookAgain = useRefreshWorkspace(agentId)
  usePageActions([
    {
      id: 'look-again',
      title: 'Refresh',
      place: nameOf(path),
      icon: 'file',
      // The page shows the error of the failed query.
      run: () => void lookAgain().catch(() => undefined),
    },
  ])
  const code = file.error instanceof ApiError ? file.error.code : null
  if (path === '' || code === 'file_not_found') return <NotHere agentId={agentId} path={path} />
  if (code === 'path_refused') {
    return (
      <EmptyState title="This file cannot be opened">
        <p>Links and special files are not opened here.</p>
        <BackToFolder agentId={agentId} path={path} />
      </EmptyState>
    )
  }
  return (
    <>
      <Toolbar agentId={agentId} path={path} file={file.data} />
      <Loaded reading={file} name={nameOf(path)} rows={1}>
        {(data) => <FileText file={data} name={nameOf(path)} />}
      </Loaded>
    </>
  )
}

function NotHere({ agentId, path }: { agentId: string; path: string }) {
  return (
    <EmptyState title="File not found">
      <p>It may have been moved or removed, or the address is wrong.</p>
      <BackToFolder agentId={agentId} path={path} />
    </EmptyState>
  )
}

function BackToFolder({ agentId, path }: { agentId: string; path: string }) {
  return (
    <Link {...folderLink(agentId, parentOf(path))} className={buttonClass()}>
      To the workspace
    </Link>
  )
}

function Toolbar(props: { agentId: string; path: string; file: WorkspaceFile | undefined }) {
  const { agentId, path, file } = props
  const now = useNow()
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
      <Link
        {...folderLink(agentId, parentOf(path))}
        aria-label="To the workspace"
        className="-ml-2 grid size-8 shrink-0 place-items-center rounded-s text-muted hover:bg-sunken wide:hidden"
      >
        <Icon name="back" />
      </Link>
      <h2 className="min-w-0 font-mono text-sm font-semibold max-wide:max-w-[calc(100%-44px)]">
        <bdi>{path}</bdi>
      </h2>
      {file ? (
        <span className="text-sm text-muted" title={exactTime(file.modifiedAt)}>
          {`${byteWords(file.bytes)}, changed ${ago(file.modifiedAt, now)}`}
        </span>
      ) : null}
      <span className="ml-auto">
        <LookAgain agentId={agentId} />
      </span>
    </div>
  )
}

function FileText({ file, name }: { file: WorkspaceFile; name: string }) {
  if (file.text === null) {
    return (
      <EmptyState title="Not a text file">
        <p>{`These ${byteWords(file.bytes)} cannot be shown as text.`}</p>
      </EmptyState>
    )
  }
  if (file.text === '') {
    return (
      <EmptyState title="This file is empty">
        <p>It has no content.</p>
      </EmptyState>
    )
  }
  return (
    <>
      {file.truncated ? (
        <Note tone="accent">{`Showing the first ${byteWords(WORKSPACE_MAX_BYTES)} of ${byteWords(file.bytes)}.`}</Note>
      ) : null}
      <section
        aria-label={`Text of ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        <pre className="px-4 py-3 font-mono text-sm whitespace-pre-wrap">{file.text}</pre>
      </section>
    </>
  )
}
