import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

function bench(...args: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, ['--import', 'tsx', 'lab/bench.ts', ...args], { cwd: ROOT, timeout: 90_000 })
}

describe('npm run bench', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('layouts measures every figure of a small stadium and writes them down', async () => {
    const file = join(folder, 'figures.json')
    const { stdout } = await bench('layouts', '--seats', '200', '--json', file)
    expect(stdout).toContain('200 seats')

    const report = JSON.parse(await readFile(file, 'utf8'))
    expect(report).toMatchObject({ verb: 'layouts', seed: 1, machine: { node: process.version } })
    const [figures] = report.figures
    expect(figures.seats).toBe(200)
    const { br, gzip, identity } = figures.reads
    expect(br.wireBytes).toBeLessThan(identity.wireBytes)
    expect(gzip.wireBytes).toBeLessThan(identity.wireBytes)
    const missing = Object.entries(flatten(figures)).filter(([, value]) => !(Number(value) > 0))
    expect(missing).toEqual([])
  }, 120_000)

  it('says what it can measure when asked for something else', async () => {
    await expect(bench('everything')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('layouts'),
    })
  }, 30_000)
})

/** Every number by its path. Memory is null where there is no /proc. */
function flatten(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object') return { [path]: value }
  return Object.assign(
    {},
    ...Object.entries(value ?? {}).map(([key, member]) => flatten(member, `${path}/${key}`)),
  )
}
