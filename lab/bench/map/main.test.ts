import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { MapFigures } from './measure.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** It also fails when a seat that was blocked looks as it did before: it looks at the pixels. */
it('npm run bench -- map shows a hall in a real browser and measures it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
  const file = join(folder, 'figures.json')
  try {
    const args = ['--import', 'tsx', 'lab/bench.ts', 'map', '--quick', '--json', file]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
    expect(stdout).toContain('300 seats')
    const { figures } = JSON.parse(await readFile(file, 'utf8')) as { figures: { halls: MapFigures[] } }
    const [hall] = figures.halls
    expect(hall).toMatchObject({ seats: 300 })
    expect(hall!.wire.mapBytes).toBeGreaterThan(300)
    expect(hall!.picture.namesMs).toBeGreaterThan(hall!.picture.laterMs)
    expect(hall!.deltas.count).toBeGreaterThan(0)
    for (const { count, medianMs, p95Ms } of Object.values(hall!.frames)) {
      expect(count).toBeGreaterThan(0)
      expect(medianMs).toBeLessThanOrEqual(p95Ms)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 240_000)
