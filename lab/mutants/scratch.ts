import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../faults/lab-process.ts'
import type { Patch } from './mutant.ts'

/** A copy of what nodes and tests are run from, with some of it replaced. */
export interface Scratch {
  readonly root: string
  remove(): Promise<void>
}

const OURS = '@voelgoed'
const COPIED = ['core', 'client', 'server', 'lab', 'scripts']
const LINKED = ['web', 'docs']
const FILES = ['package.json', 'tsconfig.json', 'vitest.config.ts']

/**
 * Libraries are linked to, so that a copy costs next to nothing; our own packages must be those of the copy.
 */
export async function createScratch(patches: readonly Patch[]): Promise<Scratch> {
  const root = await mkdtemp(join(tmpdir(), 'voelgoed-mutant-'))
  for (const folder of COPIED) await cp(join(ROOT, folder), join(root, folder), { recursive: true })
  for (const folder of LINKED) await symlink(join(ROOT, folder), join(root, folder))
  for (const file of FILES) await cp(join(ROOT, file), join(root, file))
  const modules = join(root, 'node_modules')
  await mkdir(join(modules, OURS), { recursive: true })
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== OURS) await symlink(join(ROOT, 'node_modules', name), join(modules, name))
  }
  for (const folder of COPIED) await symlink(join(root, folder), join(modules, OURS, folder))
  for (const patch of patches) {
    const file = join(root, patch.file)
    await writeFile(file, applyPatch(await readFile(file, 'utf8'), patch))
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}

export function applyPatch(source: string, { file, find, by }: Patch): string {
  const parts = source.split(find)
  if (parts.length !== 2) {
    throw new Error(`${file}: expected once, found ${parts.length - 1} times: ${JSON.stringify(find)}`)
  }
  return parts.join(by)
}
