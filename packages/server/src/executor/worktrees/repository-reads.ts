import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderRead } from '@clawboo/core/executor'
import { exists } from './git/find-repository.ts'
import type { Worktree } from './worktree.ts'
import { placesOf, readRecord } from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

/** Sections of a repository's settings that git needs in order to read it. None of them has an address or a credential. */
const SHOWN_SECTIONS = ['core', 'extensions', 'diff', 'status', 'log', 'color', 'column', 'index', 'feature']
/** Settings that name a program to run, or a file elsewhere. */
const HIDDEN_KEYS =
  /^\s*(?:fsmonitor|hookspath|sshcommand|askpass|editor|pager|attributesfile|excludesfile|worktree|gitproxy|external|textconv|command)\b/i

/**
 * The repository of a worktree, read-only, as a confined program sees it. Its settings are replaced by a part of them: the
 * address of a remote often contains a password.
 */
export async function repositoryReads(context: WorktreesContext, worktree: Worktree): Promise<readonly FolderRead[]> {
  if (worktree.kind !== 'worktree') return []
  const places = placesOf(context.root, worktree.taskId, worktree.attempt)
  const commonDir = (await readRecord(places))?.repository?.commonDir
  if (!commonDir) return []
  const reads: FolderRead[] = [{ path: commonDir }]
  for (const name of ['config', 'config.worktree']) {
    const path = join(commonDir, name)
    if (!(await exists(path))) continue
    // Our own git folder goes with the worktree.
    const from = join(places.shadow, `shown-${name}`)
    await writeFile(from, shownSettings(await readFile(path, 'utf8')), { mode: 0o600 })
    reads.push({ path, from })
  }
  return reads
}

function shownSettings(text: string): string {
  const lines: string[] = []
  let isShown = false
  // A line that ends with a backslash continues; the continuation belongs to the same setting.
  for (const line of text.replace(/\\\r?\n/g, ' ').split('\n')) {
    const section = /^\s*\[\s*([A-Za-z0-9.-]+)/.exec(line)?.[1]?.toLowerCase()
    if (section !== undefined) isShown = SHOWN_SECTIONS.includes(section) && /^\s*\[[^"\]]*\]\s*$/.test(line)
    if (isShown && !HIDDEN_KEYS.test(line)) lines.push(line)
  }
  return `${lines.join('\n')}\n`
}
