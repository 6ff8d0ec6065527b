import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compare, type HoldsFigures, NO_PGBENCH, printHolds } from './holds/report.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('npm run bench -- holds', () => {
  let folder: string
  let file: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
    file = join(folder, 'figures.json')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('measures the lane, the server and pgbench on one Postgres that waits for the disk', async () => {
    const args = ['--import', 'tsx', 'lab/bench.ts', 'holds', '--quick', '--json', file]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
    const { verb, figures } = JSON.parse(await readFile(file, 'utf8')) as {
      verb: string
      figures: HoldsFigures
    }

    expect(verb).toBe('holds')
    expect(figures.postgres).toMatchObject({ fsync: 'on', synchronous_commit: 'on' })
    for (const run of [...figures.inProcess, ...figures.http]) {
      expect(run.holds).toBeGreaterThan(0)
      expect(run.p50Ms).toBeLessThanOrEqual(run.p99Ms)
    }
    // Every hold was of a seat that nobody else wanted.
    expect(figures.http.map(run => run.refused)).toEqual(figures.http.map(() => ({})))
    expect(figures.pgbench.map(run => run.counters)).toEqual([false, true])
    expect(figures.ratios === null).toBe(figures.pgbench.some(run => run.figures === null))
    expect(stdout.includes(NO_PGBENCH)).toBe(figures.ratios === null)
    expect(figures.memory.bytesPerHold).toBeGreaterThan(0)
  }, 240_000)

  it('says so where there is no pgbench to compare with', () => {
    const percentiles = { p50Ms: 1, p95Ms: 2, p99Ms: 3 }
    const run = { holds: 10, seconds: 1, perSecond: 10, cpuSeconds: 1, postgresSeconds: null, ...percentiles }
    const inProcess = [{ ...run, concurrent: 256, batchCommands: 2 }]
    const http = [{ ...run, connections: 50, refused: {}, serverSeconds: null }]
    const pgbench = [{ clients: 8, counters: false, figures: null, postgresSeconds: null }]
    const ratios = compare(inProcess, http, pgbench)
    expect(ratios).toBeNull()
    const halls = { few: percentiles, many: percentiles }
    const text = printHolds({
      postgres: {},
      inProcess,
      http,
      pgbench,
      ratios,
      latency: { alone: halls, together: halls, ratioAlone: 1, ratioTogether: 1 },
      memory: { seatMapBytes: 1, emptyEventBytes: 1, holdsBytes: 1, bytesPerHold: 1, totalBytes: 3 },
    })
    expect(text).toContain(NO_PGBENCH)
    expect(text).not.toContain('NaN')
  })
})
