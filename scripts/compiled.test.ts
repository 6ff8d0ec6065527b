import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, it } from 'vitest'
import { programArguments, startBundles } from './compiled.ts'

const SERVER = new URL('../server/src/', import.meta.url).pathname

it('every thread of the server starts from a bundle, and so does the server', () => {
  const threads = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.endsWith('.mjs'),
  )
  expect(threads.length).toBeGreaterThan(0)
  for (const path of threads) {
    const starting = `new URL('./${basename(path)}', import.meta.url)`
    const started = startBundles(starting, `server/src/${dirname(path)}/a.ts`, '/folder')
    expect(started).toBe(`new URL("file:///folder/bundles/server/src/${path.replace(/\.mjs$/, '.js')}")`)
  }
  expect(programArguments('server/src/main.ts').at(-1)).toMatch(/\/bundles\/server\/src\/main\.js$/)
})
