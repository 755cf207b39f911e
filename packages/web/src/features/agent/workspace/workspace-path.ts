import { isAgentFileName } from '@clawboo/core/registry'
import { type LinkProps, linkOptions } from '@tanstack/react-router'

/** The search parameters of the workspace: the listed folder or the open file. */
export interface WorkspaceSearch {
  readonly path?: string
}

export function readWorkspaceSearch(search: Record<string, unknown>): WorkspaceSearch {
  return typeof search.path === 'string' && search.path !== '' ? { path: search.path } : {}
}

/** '' is the workspace itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

export function folderLink(agentId: string, path: string): LinkProps {
  return linkOptions({ to: '/agents/$agentId/files', params: { agentId }, search: path === '' ? {} : { path } })
}

/** Agent files link to their own editor. */
export function fileLink(agentId: string, path: string): LinkProps {
  return isAgentFileName(path)
    ? linkOptions({ to: '/agents/$agentId/files/$fileName', params: { agentId, fileName: path } })
    : linkOptions({ to: '/agents/$agentId/files/in-folder', params: { agentId }, search: { path } })
}
