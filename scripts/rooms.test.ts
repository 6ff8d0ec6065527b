import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = new URL('../', import.meta.url).pathname
/** They have the order of server/modules.ts. The engine, and what else is no folder, is left out. */
const MODULES = modulesInOrder()
/** From below to above: a room may import what stands before it. */
const ROOMS = [
  ...['core', 'contract', 'kit', 'engine'],
  'server/modules',
  ...MODULES.map(name => `server/modules/${name}`),
  'server',
]

/** Each import of a room that stands above its own, as "file → file". */
function upwardImports(): string[] {
  return ['core', 'contract', 'kit', 'engine', 'server'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map(path => `${folder}/${path}`)
      .filter(
        path => path.endsWith('.ts') && !/\.test\.ts$|node_modules\/|\/test\/|\.fixture\.ts$/.test(path),
      )
      .flatMap(path => upwardImportsOf(path)),
  )
}

function upwardImportsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+|@voelgoed\/[^']+)'/g)]
    .map(([, name]) =>
      name!.startsWith('.')
        ? relative(ROOT, join(ROOT, path, '..', name!))
        : `${name!.replace('@voelgoed/', '')}.ts`,
    )
    .filter(target => roomOf(target) > roomOf(path))
    .map(target => `${path} → ${target}`)
}

/** The place of the innermost room that holds the file. A file outside of all rooms is below them. */
function roomOf(path: string): number {
  const inside = ROOMS.filter(room => path.startsWith(`${room}/`))
  return ROOMS.indexOf(inside.sort((a, b) => b.length - a.length)[0] ?? '')
}

function modulesInOrder(): readonly string[] {
  const text = readFileSync(join(ROOT, 'server/modules.ts'), 'utf8')
  const [, list] = /const below: readonly Module\[\] = \[([^\]]+)\]/.exec(text)!
  const names = list!
    .split(',')
    .map(name => name.trim().replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`))
  return [...names, 'operations'].filter(name => folders().includes(name))
}

function folders(): readonly string[] {
  const entries = readdirSync(join(ROOT, 'server/modules'), { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}

it('every folder of modules is opened, so that it has a place in the order', () => {
  expect([...MODULES].sort()).toEqual([...folders()].sort())
})

it('rooms import only what stands below them', () => {
  expect(upwardImports()).toEqual([])
})
