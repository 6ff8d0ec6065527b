import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { MIGRATIONS } from './migrations.ts'

const SERVER = new URL('../', import.meta.url)

it('migrations begin with the baseline, and no number is given twice; all that lie in modules are there', () => {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(path =>
    /^\d{4}_\w+\.sql$/.test(basename(path)),
  )
  const found = files.map(path => ({
    name: basename(path),
    sql: readFileSync(new URL(path, SERVER), 'utf8'),
  }))
  const names = MIGRATIONS.map(({ name }) => name)
  const wanted = found.map(({ name }) => name).sort()
  expect(names, 'server/database/migrations.ts names each, in the order of their numbers').toEqual(wanted)
  expect(MIGRATIONS).toEqual(found.sort((a, b) => (a.name < b.name ? -1 : 1)))
  const numbers = names.map(name => name.slice(0, 4))
  expect(MIGRATIONS[0]!.name).toBe('0001_baseline.sql')
  expect(new Set(numbers).size).toBe(numbers.length)
})
