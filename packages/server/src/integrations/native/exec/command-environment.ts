/** Names that change which program runs, or which code it loads. `*` stands for any text. Case is ignored. */
const EXECUTION_CHANGING = `
  PATH PATHEXT COMSPEC SHELL HOME USERPROFILE ENV BASH_ENV ZDOTDIR FPATH CDPATH IFS SHELLOPTS BASHOPTS BASH_FUNC_*
  BASH_XTRACEFD BASH_LOADABLES_PATH PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND PWD OLDPWD TMPDIR TMP TEMP INPUTRC HISTFILE
  LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH MALLOC_* GLIBC_TUNABLES LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX
  GETCONF_DIR HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_HOST_CONF NIS_PATH TZDIR TERMINFO TERMINFO_DIRS TERMCAP
  NODE_OPTIONS NODE_PATH NODE_REPL_* NODE_EXTRA_CA_CERTS NODE_TLS_* NODE_COMPILE_CACHE NODE_V8_COVERAGE NODE_ICU_DATA
  NPM_* NPX_* YARN_* PNPM_* BUN_* DENO_* COREPACK_* TS_NODE_* TSX_* ELECTRON_*
  PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PYTHONEXECUTABLE PYTHONBREAKPOINT PYTHONWARNINGS PYTHONUSERBASE
  PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONSAFEPATH PYTHONCASEOK PYTHONMALLOC VIRTUAL_ENV PIP_* PIPX_* UV_* CONDA_*
  PERL5* PERLLIB PERL_* RUBYOPT RUBYLIB RUBYPATH RUBYSHELL GEM_* BUNDLE_* PHPRC PHP_INI_SCAN_DIR
  LUA_* LUAJIT_* TCLLIBPATH R_PROFILE* R_ENVIRON* R_HOME R_LIBS* JULIA_* ERL_* ELIXIR_* GUILE_* OCAMLRUNPARAM CAML_*
  JAVA_HOME JAVA_OPTS JAVA_TOOL_OPTIONS JDK_* _JAVA_OPTIONS CLASSPATH GRADLE_* MAVEN_* MVN_* SBT_* ANT_* GROOVY_*
  DOTNET_* CORECLR_* COR_* COMPLUS_* MSBUILD* NUGET_* CGO_* CARGO CARGO_* RUSTC* RUSTFLAGS RUSTDOC* RUSTUP_*
  GOFLAGS GOROOT GOPATH GOBIN GOENV GOTOOLDIR GOTOOLCHAIN GOPROXY GOMODCACHE GOCACHE GOWORK GOSUMDB GOINSECURE
  CC CXX CPP LD AR AS NM RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKE MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES CMAKE_*
  PKG_CONFIG* ACLOCAL_PATH M4PATH CCACHE_* DISTCC_* SCCACHE_* BAZEL_*
  GIT_SSH* GIT_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_DIFF_* GIT_PROXY_COMMAND GIT_EXEC_PATH
  GIT_CONFIG* GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_* GIT_TEMPLATE_DIR GIT_INDEX_FILE
  GIT_ALLOW_PROTOCOL GIT_PROTOCOL* GIT_SSL_* GIT_HTTP_* GIT_TRACE* GIT_NAMESPACE GIT_ATTR_* GIT_CEILING_* GIT_DISCOVERY_*
  SSH_* HG HGRCPATH HGEDITOR HGMERGE SVN_* CVS_RSH RSYNC_* SUDO_* DOAS_* KRB5*
  EDITOR VISUAL PAGER *_EDITOR *_PAGER MANPAGER BROWSER LESS LESSOPEN LESSCLOSE LESSKEY* LESSEDIT MANOPT MANPATH FCEDIT
  TAR_OPTIONS TAPE RSH RMT_COMMAND GREP_OPTIONS RIPGREP_CONFIG_PATH FZF_* BAT_* CURL_HOME WGETRC SYSTEM_WGETRC NETRC
  ZIPOPT UNZIP UNZIPOPT GZIP BZIP BZIP2 XZ_* ZSTD_* POSIXLY_CORRECT AWKPATH AWKLIBPATH
  OPENSSL_* SSL_CERT_* SSLKEYLOGFILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GNUTLS_* NSS_* PKCS11_* GNUPGHOME *_PROXY
  DOCKER_* PODMAN_* KUBECONFIG HELM_* VAGRANT_* ANSIBLE_* TF_CLI_* TF_PLUGIN_* PULUMI_HOME
  AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_* BOTO_CONFIG
  XDG_* DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_* QT_PLUGIN_PATH GTK_PATH GTK_MODULES GIO_* GST_PLUGIN_* LIBGL_* VK_*
  VIM VIMINIT VIMRUNTIME EXINIT GVIMINIT NVIM_* EMACSLOADPATH TMUX* SCREENRC SYSTEMD_* PSQLRC PGSERVICEFILE PGSYSCONFDIR
  MAGICK_* GS_LIB TEXINPUTS TEXMF* DIRENV_* ASDF_* MISE_* NIX_* GUIX_* HOMEBREW_* WINE* CLAWBOO_*
`
  .trim()
  .split(/\s+/)

/** Variables that change how a command prints, and nothing else. */
const HARMLESS = new Set(
  'CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES TZ LANG LANGUAGE LC_ALL'.split(' '),
)

const MAX_VARIABLES = 100
const MAX_VALUE_CHARS = 32_768

/** Why an agent may not set these variables, with the name of the first one; null when it may. */
export function environmentProblem(overrides: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(overrides)
  if (names.length > MAX_VARIABLES) return `there are more than ${MAX_VARIABLES} variables`
  for (const name of names) {
    const shown = JSON.stringify(name.slice(0, 100))
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(name)) return `${shown} is not a valid variable name`
    if (changesExecution(name)) return `the variable ${shown} changes which programs run, so it cannot be set here`
    const value = overrides[name]!
    if (value.includes('\0') || !value.isWellFormed()) return `the value of ${shown} is not text`
    if (value.length > MAX_VALUE_CHARS) return `the value of ${shown} is longer than ${MAX_VALUE_CHARS} characters`
  }
  return null
}

export function changesExecution(name: string): boolean {
  const upper = name.toUpperCase()
  return EXECUTION_CHANGING.some((pattern) => {
    if (pattern.endsWith('*')) return upper.startsWith(pattern.slice(0, -1))
    return pattern.startsWith('*') ? upper.endsWith(pattern.slice(1)) : upper === pattern
  })
}

/** The variables whose effect on a program is unknown. A command with one of them is not covered by the allow-list. */
export function unknownEffect(overrides: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(overrides).filter((name) => !HARMLESS.has(name))
}

export interface CommandVariables {
  /** The variables that a command may inherit from the server. */
  readonly inherited: Readonly<Record<string, string>>
  /** The variables of the agent's skills. One that changes execution is left out. */
  readonly skills?: Readonly<Record<string, string>>
  /** The variables of this command. `environmentProblem` has checked them. */
  readonly overrides?: Readonly<Record<string, string>>
}

/** The whole environment of a command. */
export function commandEnvironment({ inherited, skills = {}, overrides = {} }: CommandVariables) {
  const env: Record<string, string> = { ...inherited }
  for (const [name, value] of Object.entries(skills)) {
    if (environmentProblem({ [name]: value }) === null) env[name] = value
  }
  return Object.assign(env, overrides)
}
