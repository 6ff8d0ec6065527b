import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** A test that imports what was changed by a longer way tests more than that, and waits for `npm test`. */
const MOST_STEPS = 2
const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^'?]+|@voelgoed\/[^'?]+)(?:\?raw)?'/g
const TEST = /\.test\.ts$/

/**
 * The files of tests that a change touches: those that were changed, that lie in the folder of what was
 * changed, or that import it in one step or two. `leftOut`: those of them that take long, if they were not
 * changed themselves.
 */
export function quickTests() {
  const long = JSON.parse(readFileSync(join(ROOT, 'scripts/long-tests.json'), 'utf8'))
  const all = git('ls-files', '--cached', '--others', '--exclude-standard')
  const files = [...new Set(all)].filter(path => existsSync(join(ROOT, path)))
  const changed = new Set(changedFiles())
  const found = new Set(files.filter(path => TEST.test(path) && changed.has(path)))
  const folders = new Set([...changed].filter(path => path.includes('/')).map(dirname))
  for (const path of files) if (TEST.test(path) && folders.has(dirname(path))) found.add(path)
  const importers = importersOf(files.filter(path => /\.(ts|svelte)$/.test(path)))
  let reached = [...changed]
  for (let step = 0; step < MOST_STEPS; step += 1) {
    reached = reached.flatMap(path => importers.get(path) ?? [])
    for (const path of reached) if (TEST.test(path)) found.add(path)
  }
  const leftOut = [...found].filter(path => long.includes(path) && !changed.has(path))
  return { changed: changed.size, tests: [...found].filter(path => !leftOut.includes(path)).sort(), leftOut }
}

/** Since main; on main itself, and where there is none, since the last commit. */
function changedFiles() {
  const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD'
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
}

/** @param {readonly string[]} files */
function importersOf(files) {
  const importers = new Map()
  for (const file of files) {
    for (const [, name] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const path = name.startsWith('.')
        ? normalize(join(dirname(file), name))
        : `${name.slice('@voelgoed/'.length)}.ts`
      importers.set(path, [...(importers.get(path) ?? []), file])
    }
  }
  return importers
}

/** @param {string[]} args */
function git(...args) {
  try {
    const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 26 }
    return execFileSync('git', args, options).split('\n').filter(Boolean)
  } catch {
    return []
  }
}
