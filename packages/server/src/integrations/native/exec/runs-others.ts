/** Programs that run other programs named in their arguments, input or settings. */
const ALWAYS = words(`
  sh bash dash zsh fish ksh mksh oksh yash csh tcsh ash rbash elvish nu xonsh pwsh powershell cmd busybox toybox
  env sudo sudoedit doas su sg newgrp login pkexec run0 runuser setpriv chroot schroot unshare nsenter machinectl
  firejail bwrap proot fakeroot fakechroot debootstrap aa-exec runcon capsh prlimit choom chpst softlimit setuidgid
  xargs parallel nohup timeout gtimeout nice ionice chrt taskset stdbuf setsid setarch linux32 linux64 i386 x86_64
  uname26 time gtime watch flock script expect unbuffer rlwrap entr caffeinate numactl catchsegv catatonit tini dumb-init
  cpulimit faketime eatmydata proxychains torify torsocks tsocks hyperfine chronic ifne pee vipe fzf sk
  eval exec command builtin source . trap alias export set declare local readonly typeset unset enable hash type coproc
  python python2 python3 pypy pypy3 ipython jupyter node nodejs deno bun bunx tsx ts-node npm npx pnpm pnpx yarn yarnpkg
  corepack perl cpan exiftool ruby irb erb php lua luajit tclsh wish guile racket sbcl clisp ecl clojure clj java javac
  jshell groovy scala scalac kotlin kotlinc swift swiftc dotnet mono csi fsi julia r rscript octave matlab maxima gp sage
  gnuplot ghc ghci runghc stack cabal ocaml ocamlc opam dune elixir iex mix erl escript osascript jjs raku io nim zig
  crystal dart flutter haxe bc dc
  awk gawk mawk nawk original-awk sed gsed ed red ex vi vim nvim rvim gvim evim view rview gview vimdiff vipw vigr visudo
  emacs emacsclient nano pico joe micro mc nnn ranger vifm lf less zless bzless xzless more zmore bzmore xzmore most man
  info pager lesspipe bat gdb lldb strace ltrace dtrace dtruss bpftrace valgrind perf rr patch diff3 sdiff
  make gmake cmake ctest ninja meson bazel buck gradle gradlew mvn mvnw ant sbt rake bundle bundler gem pip pip3 pipx uv
  uvx poetry pdm hatch tox nox conda mamba cargo rustc rustdoc rustup go just task tusk mise asdf direnv nix nix-shell
  nix-build guix brew port composer apt apt-get apt-cache aptitude dpkg dpkg-deb rpm rpmbuild dnf yum zypper pacman apk
  snap flatpak emerge update-alternatives
  gcc g++ cc c++ cpp c89 c99 tcc icc nvcc gfortran gnat clang clang++ ar nm ranlib objcopy objdump strip as protoc ccache
  distcc gdbserver tsc
  ld ld64 lld gold ldconfig ldd
  pytest py.test jest vitest mocha ava jasmine karma cypress playwright eslint prettier stylelint webpack vite rollup
  esbuild parcel turbo nx lerna gulp grunt babel swc next nuxt astro storybook nodemon pm2 forever watchexec watchman
  pre-commit husky mypy pylint flake8 phpunit rspec rubocop sphinx-build mkdocs jekyll hugo pandoc
  ssh scp sftp slogin ssh-agent ssh-add ssh-keygen sshpass autossh mosh rsh rlogin telnet ftp lftp rsync rclone restic
  borg git hg svn cvs bzr fossil jj gh glab tig lazygit docker podman nerdctl buildah lxc incus wine act
  kubectl helm oc vagrant ansible ansible-playbook terraform tofu pulumi packer kubectx skaffold tilt aws gcloud az
  nc ncat netcat socat openssl gpg curlie aria2c nmap tcpdump tshark ip ifup ifdown dhclient mount umount
  at batch atd crontab anacron cron logrotate systemctl service launchctl launchd init start-stop-daemon run-parts
  daemon daemonize supervisord monit sv agetty mail mailx mutt sendmail lynx w3m links
  tmux screen byobu zellij dtach abduco reptyr dbus-run-session xvfb-run open xdg-open gio start x-terminal-emulator
  xterm gnome-terminal konsole alacritty kitty
  m4 tex pdftex xetex luatex latex pdflatex xelatex lualatex latexmk dvips gs convert magick ffmpeg mpv mplayer
  sqlite3 psql mysql mariadb mongo mongosh redis-cli sqlplus clickhouse duckdb pax cpio
`)

/** Prefixes of program families. `ld-` is the dynamic linker, which starts programs. */
const FAMILIES = /^(ld[-.]|git-|systemd-|qemu-|lxc-|ansible-|docker-|kubectl-)/

/** Programs that are harmless without these arguments. */
const BY_ARGUMENT: ReadonlyMap<string, OptionSet> = new Map(
  Object.entries<OptionSet>({
    find: { word: /^-(exec|ok|delete|fprint|fls|files0-from)/ },
    fd: { short: 'xX', long: ['exec', 'exec-batch'] },
    fdfind: { short: 'xX', long: ['exec', 'exec-batch'] },
    rg: { short: 'z', long: ['pre', 'hostname-bin', 'search-zip'] },
    ag: { short: 'z', long: ['pager', 'search-zip'] },
    sort: { short: 'oT', long: ['compress-program', 'output', 'temporary-directory', 'files0-from'] },
    shuf: { short: 'o', long: ['output'] },
    split: { long: ['filter'] },
    install: { long: ['strip-program'] },
    diff: { short: 'l', long: ['paginate'] },
    tar: tarOptions(),
    gtar: tarOptions(),
    bsdtar: tarOptions(),
    zip: { short: 'TO', long: ['test', 'unzip-command', 'output-file'] },
    curl: {
      short: 'KoOTcDJ',
      long: listed(`config output output-dir remote-name remote-name-all remote-header-name upload-file cookie-jar
        dump-header trace trace-ascii stderr libcurl etag-save hsts alt-svc engine proto proto-default`),
    },
    wget: {
      short: 'eOoaPi',
      long: listed(`use-askpass execute config post-file body-file output-document output-file append-output
        directory-prefix input-file save-cookies hsts-file warc-file rejected-log`),
    },
    tree: { short: 'oR', long: ['output'] },
    jq: { short: 'fL', long: ['from-file', 'library-path'] },
    yq: { short: 'is', long: ['inplace', 'in-place', 'split-exp', 'split-exp-file'] },
    xxd: { word: /^-?-r/, short: 'r' },
    file: { short: 'C', long: ['compile'] },
    hostname: { word: /./ },
    // On some systems it runs its argument as a program.
    arch: { word: /./ },
    uniq: { word: /^[^-]/ },
    tail: { long: ['pid'] },
    date: { short: 'sf', long: ['set', 'file'], word: /^\d{8}(\d\d){0,2}(\.\d\d)?$/ },
  }),
)

function tarOptions(): OptionSet {
  return {
    short: 'IFTg',
    long: listed(`to-command checkpoint-action use-compress-program rsh-command rmt-command info-script
      new-volume-script owner-map group-map files-from index-file listed-incremental volno-file`),
    bundleFirst: true,
    // Tar reaches an archive on another machine through another program.
    word: /:/,
  }
}

/** Many programs in one file, selected by the name of the call. */
const MULTI_CALL = new Set(['busybox', 'toybox', 'coreutils'])

/**
 * Why a call could run another program, in words; null when it cannot. `real` is the path without links: a link with a
 * harmless name may lead to a shell.
 */
export function runsOthers(
  args: readonly string[],
  program: { readonly name: string; readonly real: string },
): string | null {
  const called = programName(program.name)
  for (const path of MULTI_CALL.has(programName(program.real)) ? [program.name] : [program.name, program.real]) {
    const names = namesOf(path)
    if (names.some((name) => ALWAYS.has(name) || FAMILIES.test(name))) return `"${called}" runs other programs`
    const risky = names.flatMap((name) => BY_ARGUMENT.get(name) ?? [])[0]
    const argument = risky && findOption(risky, args)
    if (argument !== undefined) return `"${called} ${argument.slice(0, 40)}" can run or overwrite something else`
  }
  return null
}

/** Whether the arguments decide if another program runs. Then a pattern among them is not safe. */
export function dependsOnArguments(program: { readonly name: string; readonly real: string }): boolean {
  return [program.name, program.real].flatMap(namesOf).some((name) => BY_ARGUMENT.has(name))
}

function listed(text: string): readonly string[] {
  return [...words(text)]
}

/** A selection of a program's options. */
interface OptionSet {
  /** Single letters. */
  readonly short?: string
  /** Long names without the dashes. */
  readonly long?: readonly string[]
  /** The first argument is a bundle of letters even without a dash, as for tar. */
  readonly bundleFirst?: boolean
  /** Other matching words. */
  readonly word?: RegExp
}

/**
 * The first argument that is, or could be, one of the options. Any prefix of a long name counts, and a letter counts
 * anywhere in a bundle, because a value in a bundle looks like letters.
 */
function findOption(options: OptionSet, args: readonly string[]): string | undefined {
  return args.find((argument, at) => isOption(options, argument, at))
}

function isOption({ short = '', long = [], bundleFirst = false, word }: OptionSet, argument: string, at: number) {
  if (word?.test(argument)) return true
  if (argument === '--') return false
  if (argument.startsWith('--')) {
    const name = argument.slice(2).split('=', 1)[0]!
    return long.some((each) => each.startsWith(name))
  }
  if (!argument.startsWith('-') && !(bundleFirst && at === 0)) return false
  return [...short].some((letter) => argument.includes(letter))
}

/** The name of a program in lower case, without its folder and without a Windows extension. */
function programName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '')
}

/** All names of a program that a list may contain: `python3.12` is also `python`, `vim.tiny` is also `vim`. */
function namesOf(path: string): readonly string[] {
  const name = programName(path)
  // The name of a cross compiler starts with its target.
  const tool = /-(gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld)$/.exec(withoutVersion(name))?.[1]
  const short = name.includes('.') ? [name.slice(0, name.indexOf('.'))] : []
  return [name, ...short, ...(tool ? [tool] : [])].flatMap((each) => [each, withoutVersion(each)])
}

function withoutVersion(name: string): string {
  return name.replace(/[-.\d]+$/, '')
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().toLowerCase().split(/\s+/))
}
