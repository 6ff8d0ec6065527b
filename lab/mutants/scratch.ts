import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { buildChanged } from '../../scripts/build/programs.mjs'
import { ROOT } from '../nemesis/lab-process.ts'
import type { Patch } from './mutant.ts'

/** A folder with programs that were built from patched sources. */
export interface Scratch {
  readonly root: string
  remove(): Promise<void>
}

/** The programs are run beside the libraries and the page of this repository. */
export async function buildCopy(patches: readonly Patch[]): Promise<Scratch> {
  const changed = new Map<string, string>()
  for (const patch of patches) {
    const source = changed.get(patch.file) ?? (await readFile(join(ROOT, patch.file), 'utf8'))
    changed.set(patch.file, applyPatch(source, patch))
  }
  const cache = join(ROOT, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const root = await mkdtemp(join(cache, 'voelgoed-mutant-'))
  await symlink(join(ROOT, 'web'), join(root, 'web'))
  await buildChanged(root, changed)
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}

export function applyPatch(source: string, { file, find, by }: Patch): string {
  const parts = source.split(find)
  if (parts.length !== 2) {
    throw new Error(`${file}: expected once, found ${parts.length - 1} times: ${JSON.stringify(find)}`)
  }
  return parts.join(by)
}
