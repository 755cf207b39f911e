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
  sqlite3 psql mysql mariadb mongosh redis-cli clickhouse duckdb capsh pax cpio
`)

/** Programs that are harmless but for some arguments. A test gets one argument. */
const BY_ARGUMENT: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    find: /^-(exec|ok|delete|fprint|fls|files0-from)/,
    fd: /^(-[a-zA-Z]*[xX]|--exec)/,
    fdfind: /^(-[a-zA-Z]*[xX]|--exec)/,
    rg: /^(--pre|--hostname-bin|--search-zip|-[a-zA-Z]*z)/,
    sort: /^(--comp|--out|--temp|--files0|-[a-zA-Z]*[oT])/,
    split: /^(--filter)/,
    tar: /^(--(to-c|checkpoint-a|use-c|rsh|rmt|info-s|new-vol|owner-m|group-m|I)|-?[a-zA-Z]*[IF])/,
    bsdtar: /^(--(use-c|to-c)|-?[a-zA-Z]*[IF])/,
    zip: /^(-[a-zA-Z]*T|--unzip|-TT)/,
    curl: /^(-[a-zA-Z]*[KoO]|--config|--output|--remote-name|--proto|--upload|-[a-zA-Z]*T)/,
    wget: /^(--use-askpass|--execute|-[a-zA-Z]*e|--config|--post-file|--body-file|-[a-zA-Z]*[Oi])/,
    tree: /^(-[a-zA-Z]*[oR])/,
    jq: /^(-[a-zA-Z]*[fL]|--from-file|--library-path)/,
    yq: /^(-[a-zA-Z]*i|--inplace)/,
    uniq: /^[^-]/,
    tail: /^--pid/,
    date: /^(-[a-zA-Z]*[sf]|--set|--file)/,
  }),
)

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
    const risky = BY_ARGUMENT.get(name)
    const argument = risky && args.find((each) => risky.test(each))
    if (argument !== undefined) return `"${called} ${argument.slice(0, 40)}" can run or overwrite something else`
  }
  return null
}

/** Whether arguments decide if the program runs something else: then a pattern the shell fills in is not known. */
export function dependsOnArguments(program: { readonly name: string; readonly real: string }): boolean {
  return BY_ARGUMENT.has(baseName(program.name)) || BY_ARGUMENT.has(baseName(program.real))
}

/** Programs that only read and print: allowing one for ever may cover all its arguments. */
const READERS = words(`
  ls cat rg grep egrep fgrep ag head tail wc cut tr uniq nl od xxd hexdump strings file stat du df diff cmp comm
  basename dirname realpath readlink pwd echo printf true false test [ date seq sleep tree column fold fmt paste
  sha1sum sha256sum sha512sum md5sum cksum b2sum whoami id uname hostname arch nproc uptime which whereis jq locale tty
`)

export function onlyReads(name: string): boolean {
  return READERS.has(baseName(name))
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
