import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { programArguments } from '../scripts/build/programs.mjs'
import type { Row, Table } from './bench/table.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

function bench(...args: string[]): Promise<{ stdout: string }> {
  const options = { cwd: ROOT, timeout: 600_000, maxBuffer: 64 * 1024 * 1024 }
  return run(process.execPath, [...programArguments('bench'), ...args], options).catch(error => {
    // The bench says last what it found wrong.
    console.log(String(error.stdout).slice(-4_000))
    throw error
  })
}

/** As small as it can be: that figures are there and make sense, never how good they are. */
it('npm run bench -- holds measures every system under every load, and fills in what docs quote', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
  const file = (name: string) => join(folder, name)
  try {
    await copyFile(join(ROOT, 'docs/evidence.md'), file('evidence.md'))
    const files = ['--json', file('a.json'), '--svg', file('a.svg'), '--evidence', file('evidence.md')]
    await bench('holds', '--quick', '--parts', 'process,pgbench,server,usual,halls,carts', ...files)
    const report = JSON.parse(await readFile(file('a.json'), 'utf8'))
    expect(report).toMatchObject({
      ...{ verb: 'holds', seed: 1, quick: true, problems: [] },
      machine: { node: process.version, postgres: expect.stringMatching(/^\d+\.\d/), os: expect.any(String) },
    })
    const [holds, halls, carts] = (report.tables as Table[]).map(({ rows }) => rows) as [Row[], Row[], Row[]]
    const measured = holds.map(({ what }) => what.replace(/, [\d,]+ at once$/, ''))
    for (const system of ['in process', 'one node', 'usual with a row lock']) {
      for (const load of ['seats of their own', 'seats by Zipf', 'one seat']) {
        expect(measured).toContain(`${system}, ${load}`)
      }
    }
    expect(measured).toContain('an empty route, seats of their own')
    for (const { what, figures } of holds) {
      expect(Number(figures.perSecond) + Number(figures.refusedPerSecond ?? 0), what).toBeGreaterThan(0)
      expect(Number(figures.p50Ms ?? 0)).toBeLessThanOrEqual(Number(figures.p99Ms ?? 0))
    }
    // No request gets the one seat that everyone asks for, because another buyer holds it.
    const one = holds.find(({ what }) => what.startsWith('one node, one seat'))!
    expect(one.figures.perSecond).toBe(0)
    expect(halls.at(-1)!.figures.perHoldBytes).toBeGreaterThan(0)
    expect(carts[0]!.figures).toMatchObject({ tooOld: 0, of: 20 })
    const evidence = await readFile(file('evidence.md'), 'utf8')
    for (const [, name] of evidence.matchAll(/<!-- bench:(holds\.\w+) -->/g)) {
      expect(report.quotes, name).toHaveProperty([name!])
    }
    expect(evidence).toContain(report.quotes['holds.inProcessToPgbench'])
    expect(await readFile(file('a.svg'), 'utf8')).toContain('<polyline')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('says how it is used, without a stack, when it is used otherwise', async () => {
  const failed = await bench('holds', '--fast').catch(error => error)
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('--connections') })
  expect(failed.stderr).not.toContain('    at ')
})
