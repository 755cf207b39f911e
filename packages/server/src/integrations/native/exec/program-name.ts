/** The name a program goes by: no folder, no case, no ending of other systems. */
export function programName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '')
}

/** Every name under which a list may know it: `python3.12` is `python3` and `python`, `vim.tiny` is `vim`. */
export function namesOf(path: string): readonly string[] {
  const name = programName(path)
  // Compilers for other machines carry the machine's name in front.
  const tool = /-(gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld)$/.exec(withoutVersion(name))?.[1]
  const short = name.includes('.') ? [name.slice(0, name.indexOf('.'))] : []
  return [name, ...short, ...(tool ? [tool] : [])].flatMap((each) => [each, withoutVersion(each)])
}

function withoutVersion(name: string): string {
  return name.replace(/[-.\d]+$/, '')
}

export function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().toLowerCase().split(/\s+/))
}
