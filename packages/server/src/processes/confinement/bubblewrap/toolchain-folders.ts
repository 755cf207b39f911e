import { isAbsolute, join, normalize } from 'node:path'

/** Where version managers keep programs below a home. `*` stands for one name. None of these folders has a secret. */
const TOOLCHAINS = `
  .nvm/versions/node/*  .fnm  .local/share/fnm  .volta  .asdf  .local/share/mise  .nodenv  .n
  .pyenv  .local/share/uv  .local/pipx/venvs  .local/share/pipx  miniconda3  anaconda3  miniforge3
  .rbenv  .rvm/rubies/*  .rvm/gems/*  .rustup  .cargo/bin  .sdkman/candidates  .jenv  go/bin  .bun/bin  .deno/bin
  .local/share/pnpm  .yarn/bin  .local/bin  bin  .dotnet  .ghcup  .nix-profile  .linuxbrew
`
  .trim()
  .split(/\s+/)

/**
 * The folders that the programs of a search path need. A program below the home often links into its toolchain, so the
 * toolchains that the path mentions are included, but never the home itself or another folder in it.
 */
export function toolchainFolders(path: string, userHome: string): readonly string[] {
  const entries = path
    .split(':')
    .filter(isAbsolute)
    .map((entry) => normalize(entry).replace(/\/+$/, ''))
  const folders = entries.flatMap((entry) => {
    // Neither the home nor a folder around it.
    if (`${userHome}/`.startsWith(`${entry}/`)) return []
    if (!entry.startsWith(`${userHome}/`)) return [entry]
    const inHome = entry.slice(userHome.length + 1).split('/')
    const toolchain = TOOLCHAINS.find((pattern) => matches(pattern.split('/'), inHome))
    if (toolchain === undefined) return [entry]
    const root = join(userHome, ...inHome.slice(0, toolchain.split('/').length))
    return inHome[0] === '.cargo' ? [root, join(userHome, '.rustup')] : [root]
  })
  return [...new Set(folders)]
}

/** Whether a path begins with a pattern. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length <= path.length && pattern.every((name, at) => name === '*' || name === path[at])
}
