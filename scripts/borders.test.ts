import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('../', import.meta.url).pathname

/** `npm run check:borders` on a tree of our making: its exit code, and what it says. */
function checkBorders(files: Record<string, string>): { code: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'voelgoed-borders-'))
  try {
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json'])
      copyFileSync(join(ROOT, file), join(folder, file))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
    const folders = [...new Set(Object.keys(files).map(path => path.split('/')[0]!))]
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, '--config', '.dependency-cruiser.cjs', ...folders],
      { cwd: folder, encoding: 'utf8' },
    )
    return { code: status, output: stdout + stderr }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const exportsX = 'export const x = 1\n'

describe('the borders between folders', () => {
  it('let a clean tree pass', () => {
    const files = { 'core/a.ts': `import { x } from './b.ts'\nexport const y = x\n`, 'core/b.ts': exportsX }
    expect(checkBorders(files)).toMatchObject({ code: 0 })
  })

  it.each([
    ['core-is-pure', 'core/a.ts', `import { readFileSync } from 'node:fs'\nexport const y = readFileSync\n`],
    ['core-is-pure', 'core/a.ts', `import { x } from '../server/src/postgres/b.ts'\nexport const y = x\n`],
    [
      'lab-stays-outside',
      'lab/a.ts',
      `import { x } from '../server/src/postgres/b.ts'\nexport const y = x\n`,
    ],
    [
      'sql-at-the-bottom',
      'server/src/postgres/a.ts',
      `import { x } from '../http/b.ts'\nexport const y = x\n`,
    ],
    ['no-http-below', 'server/src/lane/a.ts', `import { x } from '../http/b.ts'\nexport const y = x\n`],
    ['siblings', 'server/src/jobs/a.ts', `import { x } from '../http/b.ts'\nexport const y = x\n`],
  ])('refuse what breaks %s', (rule, path, text) => {
    const files = { 'server/src/postgres/b.ts': exportsX, 'server/src/http/b.ts': exportsX, [path]: text }
    const { code, output } = checkBorders(files)
    expect(code).not.toBe(0)
    expect(output).toContain(rule)
  })
})

it('core reads no clock and rolls no dice', () => {
  const offenders = readdirSync(join(ROOT, 'core'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter(path =>
      /Math\.random|Date\.now|new Date\(\)|performance\./.test(
        readFileSync(join(ROOT, 'core', path), 'utf8'),
      ),
    )
  expect(offenders).toEqual([])
})
