import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { QUICK_TIMES } from '../faults/checkout/quick-times.ts'
import { ROOT } from '../faults/lab-process.ts'
import { MUTANTS } from './mutants.ts'
import { applyPatch } from './scratch.ts'
import { TESTED_MUTANTS } from './tested-mutants.ts'

describe('the mutants', () => {
  it.each([...MUTANTS, ...TESTED_MUTANTS].map(mutant => [mutant.name, mutant] as const))(
    '%s still fits the source',
    (_, { patches }) => {
      const sources = new Map<string, string>()
      for (const patch of patches) {
        const source = sources.get(patch.file) ?? readFileSync(join(ROOT, patch.file), 'utf8')
        sources.set(patch.file, applyPatch(source, patch))
      }
      expect(sources.size).toBeGreaterThan(0)
    },
  )

  it('and the short times of the checkout run fit the source together', () => {
    for (const mutant of [null, ...TESTED_MUTANTS.filter(({ byCheckouts }) => byCheckouts)]) {
      const sources = new Map<string, string>()
      for (const patch of [...QUICK_TIMES, ...(mutant?.patches ?? [])]) {
        const source = sources.get(patch.file) ?? readFileSync(join(ROOT, patch.file), 'utf8')
        sources.set(patch.file, applyPatch(source, patch))
      }
    }
  })

  it('that tests show are described there as well, each with a test that exists', () => {
    const text = readFileSync(join(ROOT, 'docs/mutants.md'), 'utf8')
    for (const { name, test } of TESTED_MUTANTS) {
      expect(text).toContain(`- **${name}**`)
      expect(existsSync(join(ROOT, test)), test).toBe(true)
    }
  })

  it('are described in docs/mutants.md, all of them and no others', () => {
    const text = readFileSync(join(ROOT, 'docs/mutants.md'), 'utf8')
    const described = [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(match => match[1]).slice(2)
    expect(described).toEqual(MUTANTS.map(({ name }) => name))
  })
})
