/**
 * `npm test`: what `npm run check` checks, and all tests beside it. Arguments are Vitest's.
 * Tests wait for a third of their time, and the checks, with a lower priority, take much of what is left:
 * one after the other they took a minute more on two cores. What the checks say is printed in one piece as
 * soon as they have ended, and again at the end when one of them failed. Ends with code 0 when all is well.
 */
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LOWER = 5

const checks = start(['scripts/check-all.mjs'], ['ignore', 'pipe', 'pipe'])
if (checks.child.pid !== undefined) setPriority(checks.child.pid, LOWER)
const tests = start(['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], 'inherit')
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
