import { join } from 'node:path'
import type { SkillLocation } from './skill.ts'

export interface SkillRoot {
  readonly location: SkillLocation
  /** Absolute. */
  readonly path: string
  /** The root itself must be inside this folder; null = anywhere. */
  readonly within: string | null
}

export interface SkillRootFolders {
  readonly workspace: string
  /** The person's home folder. */
  readonly userHome: string
  /** Clawboo's home folder. */
  readonly home: string
  readonly bundled: string
  readonly extraDirs: readonly string[]
}

/** The six locations, highest precedence first. */
export function skillRoots({ workspace, userHome, home, bundled, extraDirs }: SkillRootFolders): SkillRoot[] {
  return [
    { location: 'workspace', path: join(workspace, 'skills'), within: workspace },
    { location: 'project', path: join(workspace, '.agents', 'skills'), within: workspace },
    { location: 'personal', path: join(userHome, '.agents', 'skills'), within: null },
    { location: 'managed', path: join(home, 'skills'), within: null },
    { location: 'bundled', path: bundled, within: null },
    ...extraDirs.map((path) => ({ location: 'extra', path, within: null }) as const),
  ]
}
