import { routes } from '@voelgoed/contract/routes'
import { describe, expect, it } from 'vitest'
import type { Ground, Tenant } from './ground.ts'
import { makeRequest } from './make-request.ts'

const id = (last: number) => `0197a000-0000-7000-8000-${String(last).padStart(12, '0')}`

function tenant(slug: string): Tenant {
  const token = (role: string) => `vg1_${slug}_${role}`
  const roles = ['customer', 'scanner', 'support', 'organizer', 'admin'] as const
  return {
    slug,
    tokens: Object.fromEntries(roles.map(role => [role, token(role)])) as Tenant['tokens'],
    ids: {
      org: [id(1)],
      user: [id(2)],
      venue: [id(3)],
      layout: [id(4)],
      event: [id(5)],
      zone: [id(6)],
      seat: [id(7)],
    },
  }
}

const ground: Ground = {
  rootKey: 'root-key-of-the-lab',
  ours: tenant('ours'),
  neighbour: tenant('neighbour'),
  signedOutToken: 'vg1_ours_ended',
  guestTokens: ['vg1_ours_guest'],
}

describe('makeRequest', () => {
  it('makes the same request of the same seed and index, in any order', () => {
    const bytes = (index: number) => Buffer.concat(makeRequest(7, index, ground).bytes)
    const forwards = Array.from({ length: 300 }, (_, index) => bytes(index))
    for (let index = 299; index >= 0; index -= 1) expect(bytes(index).equals(forwards[index]!)).toBe(true)
  })

  it('makes other requests of another seed', () => {
    const attacks = (seed: number) =>
      Array.from({ length: 50 }, (_, index) => makeRequest(seed, index, ground).attack).join()
    expect(attacks(1)).not.toBe(attacks(2))
  })

  it('attacks every route in several ways', () => {
    const ways = new Map<string, Set<string>>()
    for (let index = 0; index < 5_000; index += 1) {
      const { route, attack } = makeRequest(1, index, ground)
      const key = `${route.method} ${route.path}`
      ways.set(key, (ways.get(key) ?? new Set()).add(attack))
    }
    expect([...ways.keys()].sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
    for (const [route, attacks] of ways) expect(attacks.size, route).toBeGreaterThan(5)
  })
})
