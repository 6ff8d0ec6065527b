import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { programArguments } from '../../../scripts/build/programs.mjs'
import type { Table } from '../table.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** It also fails when a seat that was blocked looks as it did before: it looks at the pixels. */
it('npm run bench -- map shows a hall in a real browser and measures it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
  const file = join(folder, 'figures.json')
  try {
    const args = [...programArguments('bench'), 'map', '--quick', '--json', file]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
    expect(stdout).toContain('300 seats')
    const { tables } = JSON.parse(await readFile(file, 'utf8')) as { tables: Table[] }
    const figures = tables[0]!.rows[0]!.figures as Record<string, number>
    expect(figures.mapBytes).toBeGreaterThan(300)
    expect(figures.withItsNamesMs).toBeGreaterThan(figures.firstPictureMs!)
    expect(figures.changesSeenPerSecond).toBeGreaterThan(0)
    for (const frame of ['framePanningDots', 'framePanningSeats', 'frameZooming']) {
      expect(figures[`${frame}P95Ms`]).toBeGreaterThanOrEqual(figures[`${frame}Ms`]!)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
