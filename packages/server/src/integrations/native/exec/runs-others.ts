/** Names of programs whose arguments, input or settings name another program, or are one. */
const ALWAYS = words(`
  sh bash dash zsh fish ksh mksh oksh yash csh tcsh ash rbash elvish nu pwsh powershell cmd busybox toybox
  env sudo doas su pkexec runuser setpriv chroot unshare nsenter systemd-run machinectl firejail bwrap proot fakeroot
  xargs parallel nohup timeout gtimeout nice ionice chrt taskset stdbuf setsid setarch linux32 linux64 time watch flock
  script expect unbuffer rlwrap entr caffeinate numactl catchsegv catatonit tini dumb-init
  eval exec command builtin source . trap alias export set declare local readonly typeset unset enable hash type coproc
  python python2 python3 pypy pypy3 ipython node nodejs deno bun tsx ts-node npm npx pnpm pnpx yarn yarnpkg corepack
  perl ruby irb erb php lua luajit tclsh wish guile racket sbcl clojure clj java jshell groovy scala kotlin kotlinc
  swift dotnet csi fsi julia R Rscript octave ghci runghc ocaml elixir iex erl escript osascript jjs raku io
  awk gawk mawk nawk original-awk sed gsed ed ex vi vim nvim view vimdiff emacs emacsclient nano pico joe micro less
  more most man info pager bat gdb lldb strace ltrace valgrind perf rr
  make gmake cmake ninja meson bazel buck gradle gradlew mvn ant sbt rake bundle bundler gem pip pip3 pipx uv uvx
  poetry pdm hatch tox nox conda mamba cargo rustc go just task tusk mise asdf direnv nix nix-shell nix-build guix brew
  ssh scp sftp slogin rsh rlogin telnet rsync git hg svn cvs bzr fossil jj gh glab docker podman nerdctl buildah
  kubectl helm oc vagrant ansible ansible-playbook terraform tofu pulumi packer
  nc ncat netcat socat openssl gpg curlie at batch atd crontab systemctl service launchctl launchd init
  tmux screen byobu zellij dtach abduco reptyr dbus-run-session xvfb-run open xdg-open gio start
  ld ld.so ld-linux ldconfig m4 tex latex pdflatex xelatex lualatex gs convert magick ffmpeg
  ssh-agent ssh-add sshpass gcc g++ cc c++ clang clang++ tcc start-stop-daemon run-parts ip tcpdump apt apt-get aptitude dpkg
  rpm dnf yum zypper apk pacman snap flatpak pytest jest vitest mocha eslint prettier pandoc nmap aria2c tsc webpack vite
  faketime proxychains torsocks torify ccache distcc sg newgrp login agetty gdbserver kubectx lynx w3m links mutt mail
  sqlite3 psql mysql mariadb mongosh redis-cli clickhouse duckdb capsh pax cpio
`)

/** Arguments that make a harmless program run or overwrite something: one letter or word, or long options by name. */
interface RiskyArguments {
  readonly short: RegExp
  readonly long: readonly string[]
}

const BY_ARGUMENT: ReadonlyMap<string, RiskyArguments> = new Map(
  Object.entries({
    find: risky(/^-(exec|ok|delete|fprint|fls|files0-from)/),
    fd: risky(/^-[a-zA-Z]*[xX]/, 'exec', 'exec-batch'),
    fdfind: risky(/^-[a-zA-Z]*[xX]/, 'exec', 'exec-batch'),
    rg: risky(/^-[a-zA-Z]*z/, 'pre', 'pre-glob', 'hostname-bin', 'search-zip'),
    ag: risky(/^$/, 'pager'),
    file: risky(/^-[a-zA-Z]*C/, 'compile'),
    hostname: risky(/^(-[a-zA-Z]*F|[^-])/, 'file'),
    xxd: risky(/^-[a-zA-Z]*r/, 'revert'),
    sort: risky(/^-[a-zA-Z]*[oT]/, 'compress-program', 'output', 'temporary-directory', 'files0-from'),
    split: risky(/^$/, 'filter'),
    tar: risky(
      /^-?[a-zA-Z]*[IF]/,
      ...['to-command', 'checkpoint-action', 'use-compress-program', 'rsh-command', 'rmt-command', 'info-script'],
      ...['new-volume-script', 'owner-map', 'group-map', 'I'],
    ),
    bsdtar: risky(/^-?[a-zA-Z]*[IF]/, 'use-compress-program', 'to-command'),
    zip: risky(/^-[a-zA-Z]*T/, 'unzip-command', 'test'),
    curl: risky(
      /^-[a-zA-Z]*[KoOT]/,
      ...['config', 'output', 'output-dir', 'remote-name', 'remote-name-all', 'proto', 'upload-file'],
    ),
    wget: risky(
      /^-[a-zA-Z]*[eOi]/,
      ...['use-askpass', 'execute', 'config', 'post-file', 'body-file', 'output-document', 'input-file'],
    ),
    tree: risky(/^-[a-zA-Z]*[oR]/),
    jq: risky(/^-[a-zA-Z]*[fL]/, 'from-file', 'library-path'),
    yq: risky(/^-[a-zA-Z]*i/, 'inplace'),
    uniq: risky(/^[^-]/),
    tail: risky(/^$/, 'pid'),
    date: risky(/^-[a-zA-Z]*[sf]/, 'set', 'file'),
  }),
)

function risky(short: RegExp, ...long: string[]): RiskyArguments {
  return { short, long }
}

/** A long option may be shortened to any beginning that is its own. */
function isRisky({ short, long }: RiskyArguments, argument: string): boolean {
  if (!argument.startsWith('--')) return short.test(argument)
  const name = argument.slice(2).split('=', 1)[0]!
  return name !== '' && long.some((option) => option.startsWith(name) || name.startsWith(option))
}

/** Many programs in one file, told apart by the name they are called by. */
const MULTI_CALL = new Set(['busybox', 'toybox', 'coreutils'])

/**
 * Why a call could run something else than the program it names, in words; null when it cannot. `real` is where links
 * lead: a link with a harmless name may lead to a shell.
 */
export function runsOthers(
  args: readonly string[],
  program: { readonly name: string; readonly real: string },
): string | null {
  const called = baseName(program.name)
  const behind = baseName(program.real)
  for (const name of MULTI_CALL.has(behind) ? [called] : [called, behind]) {
    if (ALWAYS.has(name) || ALWAYS.has(withoutVersion(name))) return `"${called}" runs other programs`
    const dangers = BY_ARGUMENT.get(name)
    const argument = dangers && args.find((each) => isRisky(dangers, each))
    if (argument !== undefined) return `"${called} ${argument.slice(0, 40)}" can run or overwrite something else`
  }
  return null
}

/** Whether arguments decide if the program runs something else: then a pattern the shell fills in is not known. */
export function dependsOnArguments(program: { readonly name: string; readonly real: string }): boolean {
  return BY_ARGUMENT.has(baseName(program.name)) || BY_ARGUMENT.has(baseName(program.real))
}

function baseName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '')
}

/** `python3.12` and `lua5.4` are their plain names. */
function withoutVersion(name: string): string {
  return name.replace(/[-.\d]+$/, '')
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().toLowerCase().split(/\s+/))
}
