import type { Route } from '@voelgoed/contract/route'
import type { Random } from '../random.ts'
import type { Draft } from './draft.ts'
import type { Ground } from './ground.ts'

/** One way to break an honest request. */
export interface Attack {
  readonly name: string
  readonly weight: number
  /** Left out: every route. */
  readonly applies?: (route: Route) => boolean
  apply(draft: Draft, random: Random, ground: Ground): void
}

export const takesBody = (route: Route) => route.body !== undefined
export const takesNoBody = (route: Route) => route.body === undefined
