#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { runCommandLine } from './run-command-line.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), process)
