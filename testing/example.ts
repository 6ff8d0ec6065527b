import type { Role } from '@voelgoed/core/access'
import { expect } from 'vitest'
import { readFixtures } from './read-fixtures.ts'
import type { TestDatabase } from './test-database.ts'

/** Ids of one of everything, by the names of the path parameters that take them. */
export type ExampleIds = Readonly<Record<string, string>>

interface Organization {
  readonly id: string
  readonly slug: string
  readonly tokens: Readonly<Record<Role, string>>
}

interface Server {
  readonly database: Pick<TestDatabase, 'sql'>
  request(
    method: string,
    url: string,
    options: { token: string; body?: object; raw?: Buffer; headers?: Record<string, string> },
    // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  ): Promise<{ readonly status: number; readonly text: string; readonly body: any }>
}

/** Asks as a user of the organization, and expects success. Returns the answer's data. */
type Ask = (
  role: Role,
  method: string,
  url: string,
  body?: object | Buffer,
  headers?: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
) => Promise<any>

/**
 * A module's `example.fixture.ts` exports this as `example`: it makes one of everything that the module has.
 * The walks over all routes and the neighbour organization of each test server have them.
 */
export interface Example {
  /** Names of ids that other modules make before. */
  readonly needs: readonly string[]
  make(
    ask: Ask,
    ids: ExampleIds,
    about: { readonly organization: Organization; readonly database: Server['database'] },
  ): Promise<ExampleIds>
}

const examples = await readFixtures<Example>('example')

/** Makes one of everything that any module has, each after those that it needs. */
export async function oneOfEverything(server: Server, organization: Organization): Promise<ExampleIds> {
  const ask: Ask = async (role, method, url, body, headers) => {
    const answer = await server.request(method, url, {
      token: organization.tokens[role],
      ...(Buffer.isBuffer(body) ? { raw: body } : body && { body }),
      ...(headers && { headers }),
    })
    expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300)
    return answer.body?.data
  }
  const about = { organization, database: server.database }
  let ids: ExampleIds = { org: organization.id, organization: organization.slug }
  const waiting = new Set(examples)
  while (waiting.size > 0) {
    const next = [...waiting].find(({ needs }) => needs.every(name => name in ids))
    if (!next) throw new Error(`no module makes ${[...waiting].flatMap(({ needs }) => needs).join()}`)
    waiting.delete(next)
    ids = { ...ids, ...(await next.make(ask, ids, about)) }
  }
  return ids
}
