/**
 * Runs a program that scripts/build/programs.mjs names, built from the sources as they are now:
 *
 *   node scripts/run.mjs verify --database …
 */
import { pathToFileURL } from 'node:url'
import { buildIfNeeded, groupOf, programArguments } from './build/programs.mjs'

const [, , name = ''] = process.argv
await buildIfNeeded(groupOf(name))
process.setSourceMapsEnabled(true)
const program = programArguments(name).at(-1)
process.argv.splice(1, 2, program)
await import(pathToFileURL(program))
