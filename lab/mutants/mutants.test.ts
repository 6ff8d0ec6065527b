import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../faults/lab-process.ts'
import { MUTANTS } from './mutants.ts'
import { applyPatch } from './scratch.ts'

describe('the mutants', () => {
  it.each(MUTANTS.map(mutant => [mutant.name, mutant] as const))(
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

  it('are described in docs/mutants.md, all of them and no others', () => {
    const text = readFileSync(join(ROOT, 'docs/mutants.md'), 'utf8')
    const described = [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(match => match[1]).slice(2)
    expect(described).toEqual(MUTANTS.map(({ name }) => name))
  })
})
