import type { Patch } from './mutant.ts'

/** The files that mutants patch. */
export const LEDGER = 'server/src/postgres/ledger.ts'
export const LANE = 'server/src/engine/lane.ts'
export const UNKNOWN = 'server/src/postgres/unknown-commit.ts'
export const TELLING = 'server/src/engine/telling.ts'
export const CERTAIN = 'server/src/engine/certain-refusal.ts'
export const ENGINE = 'server/src/engine/engine.ts'
export const ROWS = 'server/src/engine/batch-rows.ts'
export const WRITE = 'server/src/postgres/write-batch.ts'
export const TABLES = 'server/src/postgres/migrations/0003_holds.sql'
export const FEED = 'server/src/live/feed.ts'
export const REAPER = 'server/src/jobs/reaper.ts'
export const SETTLE = 'core/event/settle.ts'
export const HOLD = 'core/event/hold.ts'
export const CART = 'core/event/cart.ts'
export const APPLY = 'core/event/apply.ts'
export const LIMITS = 'core/event/limits.ts'
export const DECIDE = 'core/event/decide.ts'
export const AVAILABILITY = 'core/event/availability.ts'

export const without = (file: string, find: string): Patch => ({ file, find, by: '' })

export const NO_ZONE_CHECK = without(TABLES, ',\n  check (held + sold + blocked <= capacity)')
export const NO_ZONE_ASSERT: Patch = {
  file: APPLY,
  find: 'zone.held + zone.sold + zone.blocked + change.quantity <= zone.settings.capacity',
  by: 'true',
}
