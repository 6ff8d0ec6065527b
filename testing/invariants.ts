import { expect } from 'vitest'
import { verify } from '../server/modules/operations/verify/verify.ts'
import type { TestDatabase } from './test-database.ts'

/** Returns the names of the invariants that a database breaks: in one event, or anywhere. */
export async function brokenInvariants(
  database: Pick<TestDatabase, 'url'>,
  eventId: string | null = null,
): Promise<string[]> {
  const { checks } = await verify(database.url)
  const broken = checks.filter(check => {
    return check.examples.some(example => eventId === null || example.event_id === eventId)
  })
  return broken.filter(check => !check.isTidiness).map(check => check.name)
}

/** A race or a fault may cost time, never an invariant. */
export async function expectSound(database: Pick<TestDatabase, 'url'>): Promise<void> {
  const { checks, violations } = await verify(database.url)
  const broken = checks.filter(check => check.violations > 0 && !check.isTidiness)
  expect(broken.map(({ name, examples }) => ({ name, examples: examples.slice(0, 3) }))).toEqual([])
  expect(violations).toBe(0)
}
