import { getRouteApi, Link, Outlet, useChildMatches } from '@tanstack/react-router'
import { type FileEntry, useAgentFiles } from '../../api/agent/agent-files.ts'
import { useAgent } from '../../api/agent/agents.ts'
import { useFleet } from '../../api/fleet.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/page-states.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { byteWords, editWords } from './file-words.ts'
import { FolderList } from './workspace/folder-list.tsx'
import { parentOf } from './workspace/workspace-path.ts'

const route = getRouteApi('/shell/agents/$agentId/files')

/** The agent files and the rest of the workspace. A phone shows either the lists or one file. */
export function FilesTab() {
  const { agentId } = route.useParams()
  const { path } = route.useSearch()
  const { agent } = useAgent(agentId)
  const open = useChildMatches({ select: (matches) => matches.at(-1)?.routeId })
  const chosen = open !== undefined
  const viewed = open === '/shell/agents/$agentId/files/in-folder' ? path : undefined
  const files = useAgentFiles(agentId)
  return (
    <div className="flex min-h-0 flex-1">
      <div
        className={classNames(
          'min-h-0 w-full shrink-0 overflow-y-auto border-line bg-bg wide:w-[232px] wide:border-r',
          chosen && 'hidden wide:block',
        )}
      >
        <Loaded reading={files} name="its files" rows={7}>
          {(list) => <FileList agentId={agentId} files={list} />}
        </Loaded>
        {agent && agent.participantKind !== 'human' ? (
          <FolderList agent={agent} path={viewed === undefined ? (path ?? '') : parentOf(viewed)} open={viewed} />
        ) : null}
      </div>
      <div className={classNames('min-h-0 min-w-0 flex-1 flex-col', chosen ? 'flex' : 'hidden wide:flex')}>
        <Outlet />
        {chosen ? null : (
          <EmptyState title="Choose a file">
            <p>These files define who a Boo is, what it knows and how it works. Every saved version is kept.</p>
          </EmptyState>
        )}
      </div>
    </div>
  )
}

function FileList({ agentId, files }: { agentId: string; files: readonly FileEntry[] }) {
  return (
    <nav aria-label="Files" className="flex flex-col gap-0.5 p-2">
      {files.map((file) => (
        <Link
          key={file.name}
          to="/agents/$agentId/files/$fileName"
          params={{ agentId, fileName: file.name }}
          className="rounded-s px-2.5 py-1.5 hover:bg-sunken data-[status=active]:bg-surface data-[status=active]:shadow-[inset_0_0_0_1px_var(--line)]"
        >
          <FileLine file={file} />
        </Link>
      ))}
    </nav>
  )
}

function FileLine({ file }: { file: FileEntry }) {
  const now = useNow()
  const agents = useFleet().data?.agents ?? []
  const { latest } = file
  return (
    <>
      <span className="flex items-baseline justify-between gap-2">
        <span className="font-mono text-sm font-[550]">{file.name}</span>
        <span className="text-xs text-muted tabular-nums">{latest ? byteWords(latest.bytes) : 'empty'}</span>
      </span>
      <span className="block truncate text-xs text-muted">
        {latest ? editWords(latest.author, latest.createdAt, agents, now) : 'never written'}
      </span>
    </>
  )
}
