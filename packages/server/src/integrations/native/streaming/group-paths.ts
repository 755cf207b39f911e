/** Shortens a list of paths for a person: `~` for the home, files grouped by folder: `~/app/{a.ts, b.ts}; /etc/hosts`. */
export function groupPaths(paths: readonly string[], home: string | null): string {
  const folders = new Map<string, Set<string>>()
  for (const path of paths) {
    const short = shortenHome(path, home)
    const end = Math.max(short.lastIndexOf('/'), short.lastIndexOf('\\')) + 1
    const folder = short.slice(0, end)
    const names = folders.get(folder) ?? new Set()
    folders.set(folder, names.add(short.slice(end)))
  }
  return [...folders].flatMap(([folder, names]) => namesIn(folder, [...names])).join('; ')
}

function namesIn(folder: string, names: readonly string[]): readonly string[] {
  if (folder === '') return names
  return [names.length === 1 ? `${folder}${names[0]}` : `${folder}{${names.join(', ')}}`]
}

function shortenHome(path: string, home: string | null): string {
  const base = home?.replace(/[/\\]+$/, '') ?? ''
  if (base === '' || !path.startsWith(base)) return path
  const rest = path.slice(base.length)
  return rest === '' || /^[/\\]/.test(rest) ? `~${rest}` : path
}
