// Builds the page or the server if one of its source files has changed, and prints the folder of the build:
// `node scripts/build.ts page|program`.
import { buildPage } from './build-page.ts'
import { buildProgram } from './build-program.ts'

process.stdout.write(`${await (process.argv[2] === 'page' ? buildPage() : buildProgram())}\n`)
