import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AllowlistEntry, entryFor, type ResolvedPrograms } from './allowlist.ts'
import { environmentProblem } from './command-environment.ts'
import { createExecApprovals } from './exec-approvals.ts'
import {
  DEFAULT_EXEC,
  decideExec,
  type ExecQuestion,
  effectiveExecPolicy,
  programsOf,
  tightenAsk,
} from './exec-policy.ts'
import { parseCommand } from './shell-segments.ts'

/** Finds every program in /usr/bin, unless its name has a path. */
const found = (command: string, real: ReadonlyMap<string, string> = new Map()): ResolvedPrograms =>
  new Map(
    programsOf(command).map((name) => {
      const path = name.includes('/') ? name.replace(/^\.\//, '/agent/space/') : `/usr/bin/${name}`
      const inWorkspace = path.startsWith('/agent/space/')
      return [name, { path, real: real.get(name) ?? path, onPath: !name.includes('/'), inWorkspace }]
    }),
  )

const decide = (command: string, overrides: Partial<ExecQuestion> = {}) =>
  decideExec({
    command,
    security: 'allowlist',
    ask: 'on-miss',
    isConfined: true,
    allowlist: [],
    resolvedPaths: found(command),
    leadingOut: new Set(),
    ...overrides,
  })
const withList = (...patterns: (string | AllowlistEntry)[]): Partial<ExecQuestion> => ({
  allowlist: patterns.map((each) => (typeof each === 'string' ? { pattern: each } : each)),
})
const kind = (command: string, overrides?: Partial<ExecQuestion>) => decide(command, overrides).kind

test('[NR130] a new agent runs a confined command, and needs an approval for every other', () => {
  expect(decide('rm -rf x; node y.js', DEFAULT_EXEC)).toEqual({
    kind: 'run',
    command: 'rm -rf x; node y.js',
    reason: 'it reaches only its own folders',
  })
  expect(decide('ls', { ...DEFAULT_EXEC, isConfined: false })).toMatchObject({ kind: 'ask', mayAlwaysAllow: false })
})

test('[NR147] without a confiner every command needs an approval, whatever the settings', () => {
  for (const security of ['allowlist', 'full'] as const)
    for (const ask of ['off', 'unconfined', 'on-miss', 'always'] as const)
      expect(decide('ls', { security, ask, isConfined: false, ...withList('ls') })).toMatchObject({
        kind: 'ask',
        mayAlwaysAllow: false,
        entries: [],
      })
  expect(kind('rm x', { security: 'allowlist', ask: 'off', isConfined: false, ...withList('ls') })).toBe('refuse')
  expect(kind('ls', { security: 'deny', isConfined: false })).toBe('refuse')
})

test('[NR130] an agent that asks about what is not on its list runs allowed commands and needs an approval for others', () => {
  expect(decide('ls -la')).toMatchObject({ kind: 'ask', reason: '"ls" is not on the allow-list', mayAlwaysAllow: true })
  expect(decide('ls', { ask: 'off' })).toEqual({
    kind: 'refuse',
    reason: '"ls" is not on the allow-list, and approvals are switched off',
  })
  expect(decide('ls -la', withList('ls'))).toMatchObject({ kind: 'run', command: `'/usr/bin/ls' '-la'` })
})

test('[NR130] security and ask decide together', () => {
  const row = (security: ExecQuestion['security'], ask: ExecQuestion['ask']) => {
    const shared = { security, ask, ...withList('ls') }
    return [kind('ls', shared), kind('rm x', shared)]
  }
  for (const ask of ['off', 'on-miss', 'always'] as const) expect(row('deny', ask)).toEqual(['refuse', 'refuse'])
  expect(row('allowlist', 'off')).toEqual(['run', 'refuse'])
  expect(row('allowlist', 'on-miss')).toEqual(['run', 'ask'])
  expect(row('allowlist', 'always')).toEqual(['ask', 'ask'])
  expect(row('full', 'off')).toEqual(['run', 'run'])
  expect(row('full', 'on-miss')).toEqual(['run', 'run'])
  expect(row('full', 'always')).toEqual(['ask', 'ask'])
})

test('[NR131] every part of a chain must be allowed', () => {
  for (const joint of ['|', '||', '&&', ';', '&', '\n']) {
    expect(kind(`ls ${joint} ls`, withList('ls'))).toBe('run')
    expect(decide(`ls ${joint} rm x`, withList('ls'))).toMatchObject({
      kind: 'ask',
      reason: '"rm" is not on the allow-list',
    })
    expect(kind(`rm x ${joint} ls`, withList('ls'))).toBe('ask')
  }
  expect(kind('ls & ls &', withList('ls'))).toBe('run')
})

test('[NR131] one part that is not allowed, anywhere in the chain, is enough', () => {
  const good = fc.constantFrom('ls', 'ls -la', "ls 'a b'", 'wc -l')
  const bad = fc.constantFrom(
    'rm x',
    'sh -c id',
    './ls',
    'env ls',
    'ls > f',
    'ls $(id)',
    '`id`',
    'A=1 ls',
    '/tmp/ls',
    'ls；',
  )
  const joint = fc.constantFrom(' | ', ' && ', ' || ', '; ', ' & ', '\n', '|', ';')
  fc.assert(
    fc.property(
      fc.array(fc.tuple(good, joint), { maxLength: 5 }),
      bad,
      fc.array(fc.tuple(joint, good), { maxLength: 5 }),
      (before, one, after) => {
        const command =
          before.map(([each, sign]) => each + sign).join('') + one + after.map(([sign, each]) => sign + each).join('')
        expect(kind(command, withList('ls'))).not.toBe('run')
      },
    ),
  )
})

test('[NR132] a command that is not understood needs an approval, which shows the reason and cannot be permanent', () => {
  expect(decide('ls $(rm x)', withList('ls', 'rm'))).toEqual({
    kind: 'ask',
    reason: 'it cannot be checked: it uses "$", whose value is known only when it runs',
    mayAlwaysAllow: false,
    entries: [],
  })
  expect(kind('ls > f', { ...withList('ls'), ask: 'off' })).toBe('refuse')
})

test('[NR134] a bare name means a program on the PATH, never one in another folder', () => {
  expect(kind('rg x', withList('rg'))).toBe('run')
  expect(kind('./rg x', withList('rg'))).toBe('ask')
  expect(kind('/tmp/rg x', withList('rg'))).toBe('ask')
  const path = '/agent/space/bin/rg'
  const shadow = new Map([['rg', { path, real: path, onPath: false, inWorkspace: true }]])
  expect(kind('rg x', { ...withList('rg'), resolvedPaths: shadow })).toBe('ask')
  expect(kind('rg x', { ...withList('rg'), resolvedPaths: new Map([['rg', null]]) })).toBe('ask')
})

test('[NR134] a pattern with a slash is matched against the whole path', () => {
  expect(kind('rg x', withList('/usr/bin/*'))).toBe('run')
  expect(kind('rg x', withList('/usr/*'))).toBe('ask')
  expect(kind('rg x', withList('/usr/**'))).toBe('run')
  expect(kind('rg x', withList('/usr/bin/r?'))).toBe('run')
  expect(kind('./tools/x', withList('/agent/space/tools/*'))).toBe('run')
  expect(kind('rg x', withList('/usr/bin/rg.'))).toBe('ask')
  expect(kind('rg x', withList('/usr/bin/(rg|x)'))).toBe('ask')
  expect(kind('rg x', withList('*'))).toBe('ask')
})

const WRAPPERS = [
  'sh -c id',
  'bash -lc "id"',
  'zsh -lc id',
  'dash x',
  'env ls',
  'env -i sh',
  'sudo ls',
  'xargs ls',
  'nohup ls',
  'timeout 5 ls',
  'nice ls',
  'busybox ls',
  'stdbuf -o0 ls',
  'setsid ls',
  'time -p ls',
  'python3 -c "x"',
  'python3.12 x.py',
  'python x',
  'node -e x',
  'perl -e x',
  'ruby x',
  'awk x',
  'sed -n 1p',
  'find . -exec rm {} +',
  "find . '-exec' ls ';'",
  'find . -delete',
  'ssh host id',
  'git -c alias.x=!id x',
  'git status',
  'npm test',
  'npx x',
  'make',
  'docker run x',
  'vim x',
  'less x',
  'tar -xf x --to-command=sh',
  'rsync -e sh a b',
  'sort --compress-program=sh',
  'sort -o f',
  'rg --pre sh x',
  'fd -x rm',
  'split --filter=sh',
  'eval id',
  'exec id',
  'command id',
  'source x',
  '. x',
  'script -c id',
  'watch id',
  'SH -c id',
  'Bash x',
  'curl -K f',
  'xargs',
  'parallel x',
  'ld.so /bin/sh',
  'doas id',
  'su -c id',
  'chroot / id',
  'strace id',
  'gdb x',
  'openssl x',
  ...`ssh-agent sshpass gcc g++ cc c++ clang gcc-12 x86_64-linux-gnu-gcc-12 start-stop-daemon run-parts ip tcpdump apt
    apt-get dpkg rpm dnf yum pytest jest vitest eslint pandoc nmap aria2c flock ltrace perf unshare nsenter setpriv
    systemd-run systemd-nspawn expect socat nc nc.openbsd vi vim.tiny nano ed emacs tmux screen crontab at batch podman
    kubectl terraform ansible ansible-galaxy mvn gradle cargo go dotnet swift deno bun php8.2 lua5.4 tclsh R julia ghc
    sqlite3 psql mysql bc dc patch sdiff zless mount fzf hyperfine rclone git-shell qemu-x86_64 ld-linux-x86-64.so.2
    ld-musl-x86_64.so.1 x86_64 prlimit sg ftp logrotate protoc ar exiftool`
    .split(/\s+/)
    .map((name) => `${name} x`),
]

describe('programs that run others', () => {
  test.each(WRAPPERS)(
    '[NR135] an entry without arguments never covers `%s`, and no approval of it is stored',
    (command) => {
      const name = command.split(' ')[0]!
      const clean = command.replace('{}', 'x')
      const decision = decide(clean, withList(name, `/usr/bin/${name}`, '/usr/bin/*', '/**'))
      expect(decision).toMatchObject({ kind: 'ask', mayAlwaysAllow: false, entries: [] })
      const parsed = parseCommand(clean)
      if (parsed.understood) expect(entryFor(parsed.segments[0]!, found(clean).get(name), new Set())).toBeNull()
    },
  )

  test('[NR135] a link to a shell counts as a shell, whatever its name', () => {
    const resolvedPaths = found('ls -c id', new Map([['ls', '/bin/dash']]))
    expect(decide('ls -c id', { ...withList('ls', '/**'), resolvedPaths })).toMatchObject({
      kind: 'ask',
      mayAlwaysAllow: false,
    })
    expect(
      kind('ls -la', { ...withList('ls'), resolvedPaths: found('ls -la', new Map([['ls', '/bin/busybox']])) }),
    ).toBe('run')
  })

  test('[NR135] an entry with arguments covers exactly these arguments', () => {
    const list = withList(
      { pattern: 'git', argPattern: '^(status|diff)( --short)?$' },
      { pattern: 'npm', args: ['test'] },
    )
    for (const command of ['git status', 'git diff --short', 'npm test']) expect(kind(command, list)).toBe('run')
    for (const command of [
      'git push',
      'git -c x status',
      'git status --long',
      'npm test x',
      'npm "test x"',
      'npm *',
      'git s*',
    ])
      expect(kind(command, list)).toBe('ask')
  })

  test('[NR135] a pattern among the arguments cannot add an argument that runs a program', () => {
    expect(kind('ls *', withList('ls'))).toBe('run')
    expect(kind('find *', withList('find'))).toBe('ask')
    expect(kind('find . -name x', withList('find'))).toBe('run')
    for (const name of ['constructor', '__proto__', 'toString']) expect(kind(name)).toBe('ask')
  })
})

test('[NR136] an argument pattern does not match a command line that is too long', () => {
  const list = withList({ pattern: 'ls', argPattern: '.*' })
  expect(kind('ls a', list)).toBe('run')
  expect(kind(`ls ${'a'.repeat(5000)}`, list)).toBe('ask')
  expect(kind('ls a', withList({ pattern: 'ls', argPattern: '(' }))).toBe('ask')
})

test('[NR137] the filters run without an entry only on their input', () => {
  for (const command of [
    'wc -l',
    'head -n 5',
    'head -5',
    'tail -n +2',
    'cut -d, -f1',
    "cut -d ',' -f 1-3",
    'tr a-z A-Z',
    'tr -d x',
    'uniq -c',
    'tail --lines=3',
    'cut --fields 2',
    'wc -lw',
  ])
    expect([command, kind(command)]).toEqual([command, 'run'])
  for (const command of [
    'wc -l file',
    'wc --files0-from=f',
    'wc --files0 f',
    'head /etc/passwd',
    'tail -f',
    'tail -F x',
    'tail --follow',
    'tail --fol',
    'uniq a b',
    'cut -f1 x',
    'tr a b c',
    'head -n',
    'tr -- a b c',
    'wc -',
    'head *',
    'sort',
    'cat',
    'grep x',
    'head --lin=5',
  ])
    expect([command, kind(command)]).toEqual([command, 'ask'])
  const path = '/usr/local/bin/wc'
  const local = new Map([['wc', { path, real: path, onPath: true, inWorkspace: false }]])
  expect(kind('wc -l', { resolvedPaths: local })).toBe('ask')
  expect(kind('./wc -l')).toBe('ask')
})

test('[NR138] a model can only make asking stricter', () => {
  for (const [ask, wanted, result] of [
    ['off', 'always', 'always'],
    ['off', 'on-miss', 'on-miss'],
    ['on-miss', 'off', 'on-miss'],
    ['always', 'off', 'always'],
    ['always', 'on-miss', 'always'],
    ['on-miss', 'never', 'on-miss'],
    ['on-miss', null, 'on-miss'],
    ['off', undefined, 'off'],
  ] as const)
    expect(tightenAsk(ask, wanted)).toBe(result)
})

const CHANGES_PROGRAMS = `
  PATH Path LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH GIT_SSH_COMMAND
  GIT_SSH GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_DIR GIT_EXEC_PATH BASH_ENV
  ENV npm_execpath npm_config_script_shell NPM_CONFIG_USERCONFIG PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT
  PERL5LIB RUBYOPT RUBYLIB SHELLOPTS BASHOPTS PS4 IFS EDITOR VISUAL PAGER MANPAGER SUDO_EDITOR LESSOPEN LESSCLOSE
  BROWSER HOME SHELL ZDOTDIR PROMPT_COMMAND BASH_FUNC_x%% JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH
  DOTNET_STARTUP_HOOKS RUSTC_WRAPPER CARGO_HOME GOFLAGS MAKEFLAGS CC TAR_OPTIONS RIPGREP_CONFIG_PATH HTTPS_PROXY
  https_proxy XDG_CONFIG_HOME SSH_ASKPASS GCONV_PATH CLAWBOO_EXEC TMPDIR PHPRC LUA_INIT KUBECONFIG
`
  .trim()
  .split(/\s+/)

const CHANGES_NO_PROGRAM = `
  CI NODE_ENV GOOGLE_API_KEY OPENAI_API_KEY PYTHONUNBUFFERED RUST_LOG GIT_AUTHOR_NAME PORT TEXT A
`
  .trim()
  .split(/\s+/)

test('[NR140] a variable that changes which programs run is refused by its name', () => {
  for (const name of CHANGES_PROGRAMS)
    expect([name, environmentProblem({ SAFE: 'x', [name]: 'x' })]).toEqual([
      name,
      expect.stringContaining(JSON.stringify(name)),
    ])
  for (const name of CHANGES_NO_PROGRAM) expect([name, environmentProblem({ [name]: 'x' })]).toEqual([name, null])
  for (const env of [
    { 'A B': 'x' },
    { '': 'x' },
    { 'A=B': 'x' },
    { A: 'a\0b' },
    { A: '\ud800' },
    { A: 'x'.repeat(40_000) },
  ] as readonly Record<string, string>[])
    expect(environmentProblem(env)).not.toBeNull()
})

test('[NR140] no entry covers a command with a variable of unknown effect', () => {
  expect(kind('ls', { ...withList('ls'), env: { NO_COLOR: '1', TZ: 'UTC' } })).toBe('run')
  expect(decide('ls', { ...withList('ls'), env: { MY_MODE: '1' } })).toMatchObject({
    kind: 'ask',
    reason: 'it sets the variable MY_MODE',
    mayAlwaysAllow: false,
  })
})

test('[NR142] "always allow" stores a program on the PATH with its exact arguments', () => {
  const entries = (command: string) => {
    const decision = decide(command)
    return decision.kind === 'ask' ? decision.entries : decision.kind
  }
  const kept = (pattern: string, ...args: string[]) => ({ pattern, args, kept: true })
  expect(entries('rg x')).toEqual([kept('/usr/bin/rg', 'x')])
  expect(entries('rm -r build')).toEqual([kept('/usr/bin/rm', '-r', 'build')])
  expect(entries('rg x | rm y')).toEqual([kept('/usr/bin/rg', 'x'), kept('/usr/bin/rm', 'y')])
  expect(entries('rg x | sh')).toEqual([])
  expect(entries('rm *')).toEqual([])
  // The agent could replace the program.
  expect(entries('./build.sh')).toEqual([])
  expect(entries('/agent/space/build.sh x')).toEqual([])
})

test('[NR171] a prefix of a long option counts as the whole option', () => {
  const allowlist = 'split tar sort xxd file hostname ag curl wget yq date arch shuf'
    .split(' ')
    .map((pattern) => ({ pattern }))
  for (const command of [
    'split --filt=id a',
    'split --filter=id a',
    'tar --use=./e.sh -cf b a',
    'tar --checkpoint-act=exec=id -cf b a',
    'sort --o=b a',
    'sort --co=./e.sh a',
    'xxd -r -p a b',
    'file -C -m a',
    'hostname evil',
    'ag --pag id x',
    'sort --outp a',
    'sort --=b a',
    'tar --files-f=a -cf b',
    'tar --index=../b -tf a',
    'tar cfI b ./e.sh a',
    'tar -cf host:b a',
    'curl --cookie-j b x',
    'wget --output-f=b x',
    'yq --split-e=1 a',
    'date --se=now',
    'date 010203042030',
    'arch -x86_64 sh',
    'shuf --outp=b a',
  ])
    expect([command, kind(command, { allowlist })]).toEqual([command, 'ask'])
  expect(kind('sort --reverse a', { allowlist })).toBe('run')
  expect(kind('split --lines=5 a', { allowlist })).toBe('run')
})

test('[NR172] a stored entry never covers a program in the workspace; a pattern in the settings does', () => {
  const entry = { pattern: '/agent/space/b.sh', args: [] }
  expect(decide('./b.sh', withList({ ...entry, kept: true }))).toMatchObject({
    kind: 'ask',
    reason: '"./b.sh": it is in the workspace, where the agent can change it',
    mayAlwaysAllow: false,
  })
  expect(kind('./b.sh', withList(entry))).toBe('run')
  const behind = found('b', new Map([['b', '/agent/space/b.sh']]))
  const resolvedPaths = new Map([['b', { ...behind.get('b')!, inWorkspace: true, onPath: false }]])
  for (const pattern of ['/usr/bin/b', '/agent/space/b.sh'])
    expect(kind('b', { ...withList({ pattern, args: [], kept: true }), resolvedPaths })).toBe('ask')
})

test('[NR173] a stored entry without arguments, or for a program that runs others, covers nothing', () => {
  expect(decide('cat /etc/passwd', withList({ pattern: '/usr/bin/cat', kept: true }))).toMatchObject({
    kind: 'ask',
    reason: '"cat": a stored approval must list the exact arguments',
  })
  expect(kind('cat x', withList({ pattern: 'cat', argPattern: '.*', kept: true }))).toBe('ask')
  for (const [name, ...args] of [
    ['gcc', 'x.c'],
    ['xxd', '-r', 'a', 'b'],
    ['sort', '--o=b', 'a'],
  ] as const)
    expect(kind([name, ...args].join(' '), withList({ pattern: `/usr/bin/${name}`, args, kept: true }))).toBe('ask')
  expect(effectiveExecPolicy({}, [{ pattern: '/usr/bin/cat', kept: true }]).warnings).toEqual([
    'a person\'s answer allows "/usr/bin/cat": a stored approval must list the exact arguments; it covers nothing',
  ])
})

test('[NR174] a stored entry covers no word that now leads out of the workspace', () => {
  const entry = { pattern: '/usr/bin/cat', args: ['notes'] }
  const leadingOut = new Set(['notes'])
  expect(kind('cat notes', withList({ ...entry, kept: true }))).toBe('run')
  expect(decide('cat notes', { ...withList({ ...entry, kept: true }), leadingOut })).toMatchObject({
    kind: 'ask',
    reason: '"cat": "notes" leads out of the workspace',
    mayAlwaysAllow: false,
  })
  expect(kind('cat notes', { ...withList({ ...entry, kept: true }), leadingOut: new Set(['.']) })).toBe('ask')
  expect(kind('cat notes', { ...withList(entry), leadingOut })).toBe('run')
})

test('[NR142] a stored entry covers the same command again, and no other', () => {
  const word = fc.constantFrom('-r', 'a', "'b c'", '--x=y', '"*"', '$', '\\[')
  fc.assert(
    fc.property(
      fc.constantFrom('rm', 'rg', 'mv', 'touch'),
      fc.array(word, { maxLength: 4 }),
      fc.array(word, { maxLength: 4 }),
      (name, args, others) => {
        const decision = decide([name, ...args].join(' '))
        fc.pre(decision.kind === 'ask' && decision.mayAlwaysAllow)
        const list = { allowlist: decision.entries }
        expect(kind([name, ...args].join(' '), list)).toBe('run')
        const same = JSON.stringify(args) === JSON.stringify(others)
        if (!same) expect(kind([name, ...others].join(' '), list)).not.toBe('run')
      },
    ),
  )
})

test('[NR142] simultaneous answers are all stored, once each, and an invalid entry is ignored', async () => {
  let stored: unknown = [
    { pattern: 'ls' },
    { pattern: 5 },
    null,
    'sh',
    { pattern: 'rm', args: 'x' },
    { pattern: 'cp', argPattern: 1 },
  ]
  const approvals = createExecApprovals({
    load: async () => stored,
    save: async (entries) => {
      stored = entries
    },
  })
  expect(await approvals.entries()).toEqual([{ pattern: 'ls', kept: true }])
  await Promise.all([1, 2, 3, 1, 2].map((id) => approvals.add([{ pattern: 'rm', args: [String(id)] }])))
  expect(await approvals.entries()).toHaveLength(4)
  const broken = createExecApprovals({ load: async () => 'nonsense', save: async () => {} })
  expect(await broken.entries()).toEqual([])
})

test('[NR142] when every command needs an approval, no approval can be permanent', () => {
  expect(decide('rg x', { ask: 'always' })).toMatchObject({ kind: 'ask', mayAlwaysAllow: false, entries: [] })
})

test('[NR143] the policy in force is one value with its reasons', () => {
  expect(effectiveExecPolicy({}, [])).toMatchObject({
    security: 'allowlist',
    ask: 'unconfined',
    because: [
      "A command that this computer confines to the Boo's own folders runs without an approval (the default).",
      'Where it cannot confine programs, every command needs an approval.',
    ],
  })
  expect(effectiveExecPolicy({ ask: 'on-miss' }, [])).toMatchObject({
    because: [
      'A command runs only if every part of it is on the allow-list (the default).',
      "Every other command needs an approval (this agent's set-up).",
      'Allowed: the filters cut, uniq, head, tail, tr, wc on their input alone.',
    ],
  })
  const policy = effectiveExecPolicy(
    {
      security: 'allowlist',
      ask: 'always',
      allowlist: [{ pattern: 'rg' }, { pattern: 'python3' }, { pattern: '*' }, { pattern: 'x', argPattern: '(' }],
    },
    [{ pattern: '/usr/bin/ls', args: ['-l'], kept: true }],
  )
  expect(policy).toMatchObject({ security: 'allowlist', ask: 'always' })
  expect(policy.allowlist).toHaveLength(5)
  expect(policy.because[2]).toContain(
    "rg with any arguments, and so on any file of the machine (this agent's set-up); python3 (",
  )
  expect(policy.because[2]).toContain("/usr/bin/ls with exactly: -l (a person's answer).")
  expect(policy.because[0]).toContain("(this agent's set-up)")
  expect(policy.warnings.join('\n')).toMatch(
    /"python3": "python3" runs other programs; without argPattern it covers nothing[\s\S]*has no meaning in a bare name[\s\S]*argPattern cannot be used/,
  )
})

test('[NR144] every policy refuses an empty, endless or unreadable command', () => {
  for (const command of ['', ' \n', 'ls\0', 'ls \ud800', `ls ${'x'.repeat(140_000)}`])
    for (const security of ['allowlist', 'full'] as const)
      expect(kind(command, { security, ask: 'off' })).toBe('refuse')
})

test('[NR145] a command with misleading characters needs an approval, which names them', () => {
  for (const command of [
    'ls；rm x',
    'ls\u2028rm x',
    'ls\u00a0x',
    'ls "\u202e"',
    'ｌs',
    'ls\rrm x',
    'ls ＆＆ rm',
    'ls \u200b-la',
  ])
    expect([command, kind(command, withList('ls', 'ls；rm'))]).toEqual([command, 'ask'])
  expect(decide('ls \u202e', { security: 'full', ask: 'always' })).toMatchObject({
    reason: expect.stringContaining('U+202E'),
  })
})

test('[NR146] an agent cannot run the command that gives approvals', () => {
  for (const command of ['clawboo approve 1', 'ls; /usr/local/bin/clawboo x', 'Clawboo x'])
    expect(kind(command, { security: 'full', ask: 'off' })).toBe('refuse')
})
