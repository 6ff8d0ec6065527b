import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { compileChanged } from '../../../scripts/compiled.ts'
import type { Patch } from '../../mutants/mutant.ts'
import { applyPatch, type Scratch } from '../../mutants/scratch.ts'
import { ROOT } from '../lab-process.ts'
import { QUICK_TIMES } from './quick-times.ts'

/** What nodes are run from: a compiled copy with short times, and with a mutant's bug if there is one. */
export async function quickCopy(mutant: readonly Patch[] = []): Promise<Scratch> {
  const changed = new Map<string, string>()
  for (const patch of [...QUICK_TIMES, ...mutant]) {
    const source = changed.get(patch.file) ?? (await readFile(join(ROOT, patch.file), 'utf8'))
    changed.set(patch.file, applyPatch(source, patch))
  }
  const root = await compileChanged(changed)
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}
