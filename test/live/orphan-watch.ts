// Runs beside a runtime. Its stdin closes when the process that started both is gone, for any reason.
import { rmSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { endRuntime } from './runtime-processes.ts'

const [group, home] = process.argv.slice(2)
process.stdin.once('data', () => process.exit(0))
await text(process.stdin)
await endRuntime({ group: Number(group), home: home! })
rmSync(home!, { recursive: true, force: true })
