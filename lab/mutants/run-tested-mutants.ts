import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTable } from '../format.ts'
import type { Patch, TestedMutant } from './mutant.ts'
import { applyPatch, createScratch } from './scratch.ts'
import { TESTED_MUTANTS } from './tested-mutants.ts'

const TEST_WITHIN_MS = 10 * 60_000
const MOST_OUTPUT = 64 * 1024 * 1024

interface Run {
  /** 'broken': no test failed, but a file could not be loaded, or the run did not come to its end. */
  readonly outcome: 'passed' | 'failed' | 'broken'
  /** The first test that failed. */
  readonly first: string
  readonly seconds: number
}

const VERDICTS = { passed: 'NOT CAUGHT (!)', failed: 'caught', broken: 'NO VERDICT (!)' } as const

/**
 * Each test that a mutant names must pass on the original, and fail on the patched source. A run that ends
 * in another way proves nothing.
 */
export async function runTestedMutants(only: string | null, say: (line: string) => void): Promise<boolean> {
  const mutants = TESTED_MUTANTS.filter(({ name }) => only === null || name.includes(only))
  const scratch = await createScratch([])
  const rows: string[][] = []
  let isProof = true
  try {
    for (const test of new Set(mutants.map(mutant => mutant.test))) {
      const run = await runTest(scratch.root, test)
      const isClean = run.outcome === 'passed'
      isProof &&= isClean
      say(
        `${isClean ? 'passes' : 'FAILS (!)'}  ${test} on the original (${run.seconds.toFixed(0)} s) ${run.first}`,
      )
    }
    for (const mutant of mutants) {
      const run = await runPatched(scratch.root, mutant)
      isProof &&= run.outcome === 'failed'
      const verdict = VERDICTS[run.outcome]
      say(`${verdict}  ${mutant.name} (${run.seconds.toFixed(0)} s) ${run.first}`)
      rows.push([mutant.name, verdict, run.first])
    }
  } finally {
    await scratch.remove()
  }
  say(`\n${formatTable(['mutant', '', 'the first test that fails'], rows)}`)
  const caught = rows.filter(([, verdict]) => verdict === 'caught').length
  say(`\n${caught} of ${mutants.length} mutants caught.`)
  return isProof
}

async function runPatched(root: string, { patches, test }: TestedMutant): Promise<Run> {
  const before = new Map<string, string>()
  try {
    for (const patch of patches) await patchFile(root, patch, before)
    return await runTest(root, test)
  } finally {
    for (const [file, text] of before) await writeFile(file, text)
  }
}

async function patchFile(root: string, patch: Patch, before: Map<string, string>): Promise<void> {
  const file = join(root, patch.file)
  const text = await readFile(file, 'utf8')
  if (!before.has(file)) before.set(file, text)
  await writeFile(file, applyPatch(text, patch))
}

function runTest(root: string, test: string): Promise<Run> {
  const startedAt = performance.now()
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', test, '--bail', '1']
  const options = { cwd: root, timeout: TEST_WITHIN_MS, maxBuffer: MOST_OUTPUT }
  return new Promise(resolve => {
    execFile(process.execPath, args, { ...options, env: { ...process.env, NO_COLOR: '1' } }, (_, stdout) => {
      const first = /^ *× (.*?)(?: \d+ms)?$/m.exec(stdout)?.[1] ?? ''
      const isPassed = /[1-9]\d* passed, 0 failed\s*$/.test(stdout)
      const outcome = isPassed ? 'passed' : first ? 'failed' : 'broken'
      resolve({ outcome, first, seconds: (performance.now() - startedAt) / 1_000 })
    })
  })
}
