/** The name of a program in lower case, without its folder and without a Windows extension. */
export function programName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '')
}

/** All names of a program that a list may contain: `python3.12` is also `python`, `vim.tiny` is also `vim`. */
export function namesOf(path: string): readonly string[] {
  const name = programName(path)
  // The name of a cross compiler starts with its target.
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
