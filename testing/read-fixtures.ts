import { readdirSync } from 'node:fs'

const MODULES = new URL('../server/modules/', import.meta.url)

/** Returns what each `<name>.fixture.ts` of a module exports by the same name, in the order of paths. */
export async function readFixtures<T>(name: string): Promise<readonly T[]> {
  const paths = readdirSync(MODULES, { recursive: true, encoding: 'utf8' })
  return Promise.all(
    paths
      .filter(path => path.endsWith(`/${name}.fixture.ts`))
      .sort()
      .map(async path => (await import(new URL(path, MODULES).pathname))[name]),
  )
}
