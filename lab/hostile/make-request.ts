import type { Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { Random } from '../random.ts'
import type { Attack } from './attack.ts'
import { ADDRESS_ATTACKS } from './attack-addresses.ts'
import { BODY_ATTACKS } from './attack-bodies.ts'
import { HEADER_ATTACKS, TOKEN_ATTACKS } from './attack-headers.ts'
import { HTTP_ATTACKS } from './attack-http.ts'
import { WEBHOOK_ATTACKS } from './attack-webhook.ts'
import { type Draft, encode } from './draft.ts'
import type { Ground } from './ground.ts'
import { honestDraft } from './honest.ts'

const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
  ...ADDRESS_ATTACKS,
  ...HEADER_ATTACKS,
  ...TOKEN_ATTACKS,
  ...HTTP_ATTACKS,
  ...WEBHOOK_ATTACKS,
]

/** A body gives more to attack; but a password takes 50 ms of a core each time it is hashed. */
function weightOf(route: Route): number {
  if (!route.body) return 1
  return /password/.test(JSON.stringify(route.body)) ? 0.7 : 2
}

const CHOICES = routes.map(route => ({
  route,
  weight: weightOf(route),
  attacks: ATTACKS.filter(attack => attack.applies?.(route) ?? true),
}))

export interface HostileRequest {
  readonly index: number
  readonly attack: string
  readonly route: Route
  readonly draft: Draft
  readonly bytes: readonly Buffer[]
}

/** Follows from seed and index alone, but for the ids and tokens of the ground. */
export function makeRequest(seed: number, index: number, ground: Ground): HostileRequest {
  const random = new Random(seed, index)
  const chosen = random.weighted(CHOICES)
  // The first requests go to each route once, so that no seed leaves one out.
  const { route, attacks } = CHOICES[index] ?? chosen
  const attack = random.weighted(attacks)
  const draft = honestDraft(route, ground, random)
  attack.apply(draft, random, ground)
  return { index, attack: attack.name, route, draft, bytes: encode(draft) }
}
