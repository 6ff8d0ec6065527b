import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

function bench(...args: string[]): Promise<{ stdout: string }> {
  const options = { cwd: ROOT, timeout: 600_000, maxBuffer: 64 * 1024 * 1024 }
  return run(process.execPath, ['--import', 'tsx', 'lab/bench.ts', ...args], options).catch(error => {
    // What it found wrong is the last that it says.
    console.log(String(error.stdout).slice(-4_000))
    throw error
  })
}

// biome-ignore lint/suspicious/noExplicitAny: figures as they are written down
type Figures = any

/**
 * Everything, once, as small as it can be: that figures are there and make sense, never how good they are.
 */
describe('npm run bench -- all --quick', () => {
  let folder: string
  let report: Figures
  let allocation: Figures
  let figures: Figures
  let said: string
  let evidence: string
  let picture: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
    const file = (name: string) => join(folder, name)
    await copyFile(join(ROOT, 'docs/evidence.md'), file('evidence.md'))
    const args = ['--json', file('all.json'), '--svg', file('all.svg'), '--evidence', file('evidence.md')]
    said = (await bench('all', '--quick', ...args)).stdout
    report = JSON.parse(await readFile(file('all.json'), 'utf8'))
    // Without a server, and not a part of all.
    await bench('allocation', '--quick', '--json', file('own.json'), '--evidence', file('evidence.md'))
    allocation = JSON.parse(await readFile(file('own.json'), 'utf8'))
    figures = report.figures
    evidence = await readFile(file('evidence.md'), 'utf8')
    picture = await readFile(file('all.svg'), 'utf8')
  }, 600_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('finds nothing wrong, and says on what it was measured', () => {
    expect(report.problems).toEqual([])
    expect(report).toMatchObject({
      verb: 'all',
      seed: 1,
      quick: true,
      machine: {
        node: process.version,
        postgres: expect.stringMatching(/^\d+\.\d/),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        os: expect.any(String),
      },
    })
  })

  it('holds: every system under every load, on a Postgres that waits for the disk', () => {
    const { rows, postgres, ratios, memory } = figures.holds
    expect(postgres).toMatchObject({ fsync: 'on', synchronous_commit: 'on' })
    const measured = new Set(rows.map((row: Figures) => `${row.system} ${row.workload}`))
    for (const system of ['inProcess', 'http', 'rowLock']) {
      for (const workload of ['each', 'zipf', 'one']) expect(measured).toContain(`${system} ${workload}`)
    }
    expect(measured).toContain('empty each')
    for (const row of rows) {
      // No request gets the one seat that everyone asks for, because another buyer holds it.
      expect(row.holds + row.refusedPerSecond).toBeGreaterThan(0)
      expect(row.p50Ms ?? 0).toBeLessThanOrEqual(row.p99Ms ?? 0)
      if (row.workload === 'each') expect(row.others).toEqual({})
    }
    const one = rows.find((row: Figures) => row.system === 'http' && row.workload === 'one')
    expect(one).toMatchObject({ holds: 0, others: { 409: expect.any(Number) } })
    expect(ratios.httpToRowLock).toBeGreaterThan(0)
    expect(ratios.refusalsToEmpty).toBeGreaterThan(0)
    expect(ratios.httpToPgbench === null).toBe(said.includes('no pgbench'))
    expect(memory.bytesPerHold).toBeGreaterThan(0)
    expect(picture).toContain('<polyline')
  })

  it('onsale: every buyer is accounted for, and every seat that was kept', () => {
    const [sale] = figures.onsale
    const ends: number[] = Object.values(sale.ends)
    expect(ends.reduce((sum, count) => sum + count, 0)).toBe(60)
    expect(sale).toMatchObject({ buyers: 60, serverErrors: 0, broken: {} })
    expect(sale.ends.kept + sale.ends.gaveBack + sale.ends.letExpire).toBe(sale.holds)
    expect(sale.held.server).toBe(sale.ends.kept)
    expect(sale.held.countersInPostgres).toBe(sale.ends.kept)
    expect(sale.feedMessages).toBeGreaterThan(0)
  })

  it('feed: every change comes to every reader', () => {
    const [feed] = figures.feed
    expect(feed).toMatchObject({
      readers: 20,
      changes: 10,
      delivered: 200,
      lost: 0,
      outOfOrder: 0,
      closed: 0,
    })
  })

  it('size: a history that npm run verify accepts', () => {
    expect(figures.size.map((one: Figures) => [one.seats, one.history, one.violations])).toEqual([
      [100, 250, 0],
    ])
    for (const one of figures.size) expect(one.startUpMs).toBeGreaterThan(0)
  })

  it('warm: an event in Redis, answers from there and without it, and nothing left at the end', () => {
    const { warm } = figures
    // Seq, seats, holds, counters; two for each hold.
    expect(warm).toMatchObject({ seats: 200, holds: 100, keys: 4 + 2 * 100, keysLeft: 0 })
    expect(warm.bytes).toBeGreaterThan(0)
    for (const what of ['availability', 'layout', 'map']) {
      for (const source of ['redis', 'postgres']) expect(warm[what][source].p50Ms).toBeGreaterThan(0)
    }
  })

  it('reap: nothing is left over', () => {
    expect(figures.reap).toMatchObject({ holds: 500, left: 0 })
    expect(figures.reap.expired).toBeGreaterThanOrEqual(500)
  })

  it('workers: holds on one event, and on several at once', () => {
    const [one, several] = figures.workers
    expect([one.events, several.events]).toEqual([1, 2])
    for (const { holds, others } of figures.workers) {
      expect(holds).toBeGreaterThan(0)
      expect(others).toEqual({})
    }
  })

  it('checkouts: all are paid, many at once and one at a time, after few orders and after more', () => {
    const { rows, holdsPerSecond } = figures.checkouts
    expect(holdsPerSecond).toBeGreaterThan(0)
    expect(rows.map((row: Figures) => [row.seats, row.orders])).toEqual([
      [400, 0],
      [40, 0],
      [80, 0],
      [80, 100],
    ])
    for (const row of rows) expect(row).toMatchObject({ paid: expect.any(Number), others: {} })
    expect(rows.slice(1).map((row: Figures) => row.paid)).toEqual([5, 5, 5])
  })

  it('carts: what was held is in the cart, whichever worker reads it', () => {
    const [{ after, cart, seat }] = figures.carts
    expect(after).toMatchObject({ tries: 20, missing: 0, others: {} })
    for (const { readsPerSecond, holdsPerSecond, others } of [cart, seat]) {
      expect(Math.min(readsPerSecond, holdsPerSecond)).toBeGreaterThan(0)
      expect(others).toEqual({})
    }
  })

  it('scans: each ticket lets its holder in once', () => {
    expect(figures.scans.map((row: Figures) => [row.admitted, row.others])).toEqual([
      [20, {}],
      [20, {}],
    ])
  })

  it('nodes: one and two, every load, and a Redis that is killed and paused', () => {
    const { rows } = figures.nodes
    const shapeOf = ({ setup, load, harm }: Figures) => `${setup.nodes} ${load}${harm ? ` ${harm}` : ''}`
    expect(new Set(rows.map(shapeOf))).toEqual(
      new Set([
        ...['1 one event', '1 ten events', '1 a fight', '2 one event', '2 ten events', '2 a fight'],
        ...['2 one event killed', '2 one event paused'],
      ]),
    )
    for (const row of rows) {
      expect(row.perSecond).toBeGreaterThan(0)
      expect(row.toBaseline.median).toBeGreaterThan(0)
      expect(row.errors).toEqual({})
      if (row.load === 'a fight') expect(row.refusedPerSecond).toBeGreaterThan(0)
    }
  })

  it('best: every group of a rush is seated, and no seat is given twice', () => {
    const { rows, rushed } = figures.best
    for (const { holds, others } of rows) {
      expect(holds).toBeGreaterThan(0)
      // The small hall is nearly full at the end.
      expect(Object.keys(others).filter(status => status !== '409')).toEqual([])
    }
    expect(rushed.figures.holds).toBe(rushed.expected)
    expect(rushed.held).toBe(4 * rushed.expected)
  })

  it('layouts: every figure of a small stadium', () => {
    const [layout] = figures.layouts
    expect(layout.seats).toBe(200)
    const { br, gzip, identity } = layout.reads
    expect(br.wireBytes).toBeLessThan(identity.wireBytes)
    expect(gzip.wireBytes).toBeLessThan(identity.wireBytes)
    const missing = Object.entries(flatten(layout)).filter(([, value]) => !(Number(value) > 0))
    expect(missing).toEqual([])
  })

  it('fills its figures into the document that quotes them', () => {
    expect(evidence).toContain(report.machine.at)
    expect(allocation).toMatchObject({ problems: [], quick: true })
    expect(evidence).toContain(allocation.quotes['allocation.sellOut'].trim())
    const quoted = [...evidence.matchAll(/<!-- bench:([\w.]+) -->/g)].map(match => match[1]!)
    // The last two are written by `npm run bench -- carts` and `npm run faults -- checkout`.
    const known = [
      ...[...Object.keys(report.quotes), ...Object.keys(allocation.quotes)],
      ...['all.run', 'carts.run', 'faults.checkouts'],
    ]
    expect(quoted.filter(name => !known.includes(name))).toEqual([])
  })
})

it('says how it is used, without a stack, when it is used otherwise', async () => {
  const failed = await bench('holds', '--fast').catch(error => error)
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('--connections') })
  expect(failed.stderr).not.toContain('    at ')
}, 60_000)

/** Every number by its path. Memory is null where there is no /proc. */
function flatten(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object') return { [path]: value }
  return Object.assign(
    {},
    ...Object.entries(value ?? {}).map(([key, member]) => flatten(member, `${path}/${key}`)),
  )
}
