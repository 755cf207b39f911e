import { ApiError } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { readConfig } from '../config.ts'
import { type Command, type Context, done, type Outcome } from './command.ts'
import { COMMANDS } from './command-list.ts'
import { EXIT_CODES, type ExitCode } from './exit-codes.ts'
import { commandText, overviewText } from './help-text.ts'
import { readCommandLine, wrongUsage } from './parse-arguments.ts'
import { print } from './terminal/print.ts'

type Host = Pick<Context, 'env' | 'stdin' | 'stdout' | 'stderr'>

/** Runs a command and resolves to its exit code. Rejects for a programming mistake. */
export async function runCommandLine(argv: readonly string[], host: Host): Promise<number> {
  const end = argv.indexOf('--')
  const json = argv.slice(0, end === -1 ? undefined : end).includes('--json')
  try {
    const { printed, exitCode } = await run(argv, json, host)
    if (printed) await print(host.stdout, json ? `${JSON.stringify(printed.data)}\n` : printed.text)
    return exitCode
  } catch (error) {
    const report = reportError(error)
    if (!report) throw error
    const { code, message, exitCode } = report
    if (json) await print(host.stdout, `${JSON.stringify({ error: { code, message } })}\n`)
    else await print(host.stderr, `clawboo: ${message}\n`)
    return exitCode
  }
}

async function run(argv: readonly string[], json: boolean, host: Host): Promise<Outcome> {
  const line = readCommandLine(asPeopleAsk(argv), COMMANDS)
  if (line === null) return withoutCommand(argv)
  if (line.help) return help(line.command)
  const args = line.parse()
  const { env, stdin, stdout, stderr } = host
  const context: Context = { config: readConfig(env), env, json, stdin, stdout, stderr }
  return line.action.run(args, context)
}

/** Accepts `--version` and `-v`, as other programs do. */
function asPeopleAsk(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv
  return first === '--version' || first === '-v' ? ['version', ...rest] : argv
}

function withoutCommand(argv: readonly string[]): Outcome {
  const unknown = argv.find((word) => !['--help', '-h', '--json'].includes(word))
  if (unknown) throw wrongUsage(`unknown option "${unknown}"; see \`clawboo help\``)
  return help(null)
}

function help(command: Command | null): Outcome {
  const text = command ? commandText(command) : overviewText(COMMANDS)
  return done({ help: text }, text)
}

interface ErrorReport {
  readonly code: string
  readonly message: string
  readonly exitCode: ExitCode
}

/** Returns the message for a person, or null for a programming mistake, which must show its stack. */
function reportError(error: unknown): ErrorReport | null {
  if (error instanceof ApiError) return { code: error.code, message: error.message, exitCode: apiExitCode(error) }
  if (error instanceof ClawbooError) {
    return { code: error.code, message: withCause(error), exitCode: exitCodeOf(error) }
  }
  // A system error, such as a full disk or a missing permission, is not a programming mistake.
  if (error instanceof Error && 'syscall' in error)
    return { code: 'internal', message: error.message, exitCode: EXIT_CODES.failed }
  return null
}

function apiExitCode({ status }: ApiError): ExitCode {
  if (status === 0) return EXIT_CODES.running
  if (status === 404) return EXIT_CODES.notFound
  return status >= 400 && status < 500 ? EXIT_CODES.refused : EXIT_CODES.failed
}

function exitCodeOf({ code }: ClawbooError): ExitCode {
  if (code === 'request_invalid') return EXIT_CODES.usage
  if (code === 'server_running' || code === 'server_not_running') return EXIT_CODES.running
  return code.endsWith('_not_found') ? EXIT_CODES.notFound : EXIT_CODES.failed
}

/** When a database cannot be opened, only the cause contains the reason. */
function withCause({ code, message, cause }: ClawbooError): string {
  return code === 'store_unavailable' && cause instanceof Error ? `${message}: ${cause.message}` : message
}
