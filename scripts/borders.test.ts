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

  it('refuse what breaks them, each by its rule', () => {
    const breaking = [
      ['core-is-pure', 'core/a.ts', 'node:fs', 'fs'],
      ['core-is-pure', 'core/b.ts', '../kit/postgres/b.ts', 'kit/postgres/b.ts'],
      ['lab-stays-outside', 'lab/a.ts', '../kit/postgres/b.ts', 'kit/postgres/b.ts'],
      ['engine-knows-no-http', 'engine/a.ts', '../kit/http/b.ts', 'kit/http/b.ts'],
      ['http-only-above', 'kit/postgres/a.ts', '../http/b.ts', 'kit/http/b.ts'],
      ['server-runs-without-client', 'server/a.ts', '../client/b.ts', 'client/b.ts'],
    ] as const
    const { code, output } = checkBorders({
      'kit/postgres/b.ts': exportsX,
      'kit/http/b.ts': exportsX,
      'client/b.ts': exportsX,
      ...Object.fromEntries(
        breaking.map(([, path, from]) => [path, `import { x } from '${from}'\nexport const y = x\n`]),
      ),
    })
    expect(code).not.toBe(0)
    for (const [rule, path, , target] of breaking) expect(output).toContain(`${rule}: ${path} → ${target}`)
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
