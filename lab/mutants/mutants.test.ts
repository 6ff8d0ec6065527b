import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { QUICK_TIMES } from '../crowd/checkout/quick-times.ts'
import { ROOT } from '../nemesis/lab-process.ts'
import { BOOKS_MUTANTS } from './books.ts'
import { MUTANTS } from './mutants.ts'
import { applyPatch } from './scratch.ts'

describe('the mutants', () => {
  it.each([...MUTANTS, ...BOOKS_MUTANTS].map(mutant => [mutant.name, mutant] as const))(
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
    for (const mutant of [null, ...BOOKS_MUTANTS]) {
      const sources = new Map<string, string>()
      for (const patch of [...QUICK_TIMES, ...(mutant?.patches ?? [])]) {
        const source = sources.get(patch.file) ?? readFileSync(join(ROOT, patch.file), 'utf8')
        sources.set(patch.file, applyPatch(source, patch))
      }
    }
  })
})
