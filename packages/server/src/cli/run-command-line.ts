import { readConfig } from '../config.ts'
import { type Command, type Context, done, type Outcome } from './command.ts'
import { COMMANDS } from './command-list.ts'
import { commandText, overviewText } from './help-text.ts'
import { readCommandLine, wrongUsage } from './parse-arguments.ts'
import { reportError } from './report-error.ts'
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
