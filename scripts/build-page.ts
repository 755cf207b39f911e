// Builds the page if one of its source files has changed.
import { buildPage } from '../packages/web/build-page.ts'

await buildPage()
