import type { Random } from '../random.ts'
import type { LabNode } from './lab-node.ts'
import type { LabPostgres } from './lab-postgres.ts'
import type { LabRedis } from './lab-redis.ts'
import type { EventOnSale } from './site.ts'

/** A fault may harm these, and with these. */
export interface Scene {
  readonly postgres: LabPostgres
  /** Null: the run has none. */
  readonly redis: LabRedis | null
  readonly nodes: readonly LabNode[]
  readonly random: Random
  /** The events that are on now. */
  events(): readonly EventOnSale[]
  /** Longer than any short hold lives. */
  readonly freezeMs: number
  /** Named points of a batch at which a node was killed already. */
  readonly struckPoints: Set<string>
}

export interface Fault {
  readonly about: string
  /** The fault harms this. Only a fault of Redis explains no error of a caller. */
  readonly of: 'node' | 'postgres' | 'redis'
  /** Does harm, waits, heals; what it did in a few words. `node` is the one it was dealt, if it needs one. */
  strike(scene: Scene, node: LabNode): Promise<string>
  /** Says why this fault can't be done here. */
  impossible?(scene: Pick<Scene, 'postgres' | 'redis'>): string | null
}
