import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TASKS } from './tasks.ts'

const ROOT = new URL('../', import.meta.url)

it('every task that a thread is started for is in the table, and none else; each can be loaded', async () => {
  const named = new Set<string>()
  for (const folder of ['kit/', 'engine/', 'server/']) {
    for (const path of readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })) {
      if (!/(?<!\.test)\.ts$/.test(path)) continue
      const text = readFileSync(new URL(folder + path, ROOT), 'utf8')
      if (!/new (WorkerQueue|Thread)\b/.test(text)) continue
      for (const [, name] of text.matchAll(/\btask: '([^']+)'/g)) named.add(name!)
    }
  }
  expect([...named].sort()).toEqual(Object.keys(TASKS))
  for (const load of Object.values(TASKS)) expect(await load()).toBeTypeOf('function')
})
