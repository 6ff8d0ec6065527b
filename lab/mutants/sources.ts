import type { Patch } from './mutant.ts'

/** The files that mutants patch. */
export const LEDGER = 'engine/tables/ledger.ts'
export const LANE = 'engine/lane/lane.ts'
export const LANE_MEMORY = 'engine/lane/lane-memory.ts'
export const DECIDE_BATCH = 'engine/round/decide-batch.ts'
export const ROUND = 'engine/round/round.ts'
export const STORE = 'engine/postgres/postgres-store.ts'
export const TRACE = 'engine/postgres/event-trace.ts'
export const VIEW = 'engine/view/committed-view.ts'
export const CERTAIN = 'engine/proofs/certain-refusal.ts'
export const LANES = 'engine/lane/lanes.ts'
export const ROWS = 'engine/batch/batch-rows.ts'
export const WRITE_ANSWERS = 'engine/batch/answers.ts'
export const WRITE_LEDGER = 'engine/batch/ledger.ts'
export const WRITE_SEATS = 'engine/batch/seats.ts'
export const PACK = 'core/event/packed-changes.ts'
export const HISTORY = 'server/modules/holds/tables/hold-history.ts'
export const SCHEMA = 'server/database/0001_baseline.sql'
export const FEED = 'server/modules/live/feed.ts'
export const REAPER = 'engine/reaper/reaper.ts'
export const PASSED_OVER = 'kit/jobs/passed-over.ts'
export const CANCELLED = 'server/modules/checkout/cancelled-events.ts'
export const TRANSFER = 'core/event/rules/transfer.ts'
export const NEW_CHANGES = 'core/event/rules/new-changes.ts'
export const END_HOLDS = 'core/event/rules/end-holds.ts'
export const SELL = 'core/event/rules/sell.ts'
export const SETTLE = 'core/event/rules/settle.ts'
export const HOLD = 'core/event/rules/hold.ts'
export const CART = 'core/event/rules/cart.ts'
export const APPLY = 'core/event/apply.ts'
export const LIMITS = 'core/event/rules/limits.ts'
export const DECIDE = 'core/event/decide.ts'
export const BREAKER = 'kit/redis/breaker.ts'
export const PUT_EVENT = 'kit/redis/scripts/put-event.lua'
export const FORGET_HOLD = 'kit/redis/scripts/parts/forget-hold.lua'
export const BEGIN_EVENT = 'kit/redis/scripts/begin-event.lua'
export const COPY = 'server/modules/copies/copy.ts'
export const WARM_TIER = 'server/modules/copies/warm-tier.ts'
export const WARM_READS = 'server/modules/copies/warm-reads.ts'
export const AVAILABILITY = 'core/event/availability.ts'

export const without = (file: string, find: string): Patch => ({ file, find, by: '' })

export const NO_ZONE_CHECK = without(SCHEMA, ',\n  check (held + sold + blocked <= capacity)')
export const NO_ZONE_ASSERT: Patch = {
  file: APPLY,
  find: 'zone.held + zone.sold + zone.blocked + change.quantity <= zone.settings.capacity',
  by: 'true',
}
