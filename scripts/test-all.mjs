/**
 * `npm test`: what `npm run check` checks, and all tests beside it. Arguments are Vitest's; with `--quick`
 * only the tests that lie near a change (quick-tests.mjs).
 * Tests wait for a third of their time, and the checks, with a lower priority, take much of what is left:
 * one after the other they took a minute more on two cores. What the checks say is printed in one piece as
 * soon as they have ended, and again at the end when one of them failed. Ends with code 0 when all is well.
 */
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { buildIfNeeded } from './build/programs.mjs'
import { quickTests } from './quick-tests.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LOWER = 5

const given = process.argv.slice(2)
const isQuick = given.includes('--quick')
const near = isQuick ? quickTests() : null
if (near) {
  process.stdout.write(`${near.changed} files were changed, ${near.tests.length} files of tests lie near.\n`)
  if (near.leftOut.length > 0)
    process.stdout.write(`Left out, for they take long: ${near.leftOut.join(', ')}\n`)
}
// The checks and the tests both need them.
await Promise.all([buildIfNeeded('server'), buildIfNeeded('lab')])
const checks = start(['scripts/check-all.mjs'], ['ignore', 'pipe', 'pipe'])
if (checks.child.pid !== undefined) setPriority(checks.child.pid, LOWER)
const chosen = given.filter(argument => argument !== '--quick').concat(near?.tests ?? [])
const tests =
  near?.tests.length === 0
    ? start(['--version'], 'ignore')
    : start(['node_modules/vitest/vitest.mjs', 'run', ...chosen], 'inherit')
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => [checks, tests].map(({ child }) => child.kill(signal)))
}

const checked = checks.ended.then(code => {
  process.stdout.write(`\n${checks.said()}\n`)
  return code
})
const tested = await tests.ended
if ((await checked) !== 0) process.stdout.write(`\nThe checks failed:\n${checks.said()}`)
process.exitCode = tested === 0 && (await checked) === 0 ? 0 : 1

/**
 * @param {string[]} args
 * @param {import('node:child_process').StdioOptions} stdio
 */
function start(args, stdio) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', chunk => {
      text += chunk
    })
  }
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve(code ?? 1))
  })
  return { child, ended, said: () => text }
}
