import { type Command, type Context, done, type Outcome } from '../command.ts'
import { checkDatabase } from '../doctor/check-database.ts'
import { checkDisk, checkHome, checkNode, checkPage, checkToken } from '../doctor/check-home.ts'
import { checkServer } from '../doctor/check-server.ts'
import { checkVault } from '../doctor/check-vault.ts'
import type { Finding } from '../doctor/finding.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { formatColumns } from '../terminal/format-columns.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the installation and suggest fixes',
  actions: [
    {
      name: '',
      summary: 'Prints one line per check. Exits with 1 if a check fails.',
      run: (_, context) => examine(context),
    },
  ],
  examples: ['doctor', 'doctor --json'],
  notes: ['Changes nothing and prints no secrets.'],
}

async function examine({ config }: Context): Promise<Outcome> {
  const findings: Finding[] = [
    checkNode(),
    await checkHome(config.home),
    await checkToken(config.home),
    ...(await checkDatabase(config)),
    ...(await checkServer(config)),
    await checkDisk(config.home),
    checkPage(),
    ...(await checkVault(config)),
  ]
  const healthy = findings.every((finding) => finding.state !== 'fail')
  const rows = findings.map(({ state, check, detail, advice }) => [
    state,
    check,
    advice === undefined ? detail : `${detail} -> ${advice}`,
  ])
  return done({ healthy, findings }, formatColumns(rows), healthy ? EXIT_CODES.ok : EXIT_CODES.failed)
}
