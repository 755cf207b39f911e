// Builds the page if a file it is made of has changed.
import { buildPage } from '../packages/web/build-page.ts'

await buildPage()
