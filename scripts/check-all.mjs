/**
 * `npm test` checks this before the tests: each npm script by itself, as many at once as there are cores.
 * What a check says is printed when it ends, so that the words of two are never mixed. Ends with code 1 when
 * one of them fails, after all of them have ended.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The slowest first. */
const CHECKS = ['check:types', 'check:page', 'check:borders', 'check:unused', 'check:style']

const waiting = [...CHECKS]
const failed = []

async function work() {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const startedAt = performance.now()
    const { code, output } = await run(check)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${check}, ${seconds} s\n${output}`)
    if (code !== 0) failed.push(check)
  }
}

/** @param {string} check */
function run(check) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', check], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const gather = chunk => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', gather)
    child.stderr.setEncoding('utf8').on('data', gather)
    child.on('error', reject)
    child.on('close', code => resolve({ code, output }))
  })
}

await Promise.all(Array.from({ length: availableParallelism() }, work))
if (failed.length > 0) process.stdout.write(`\nFailed: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
