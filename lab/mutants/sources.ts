import type { Patch } from './mutant.ts'

/** The files that mutants patch. */
export const LEDGER = 'server/src/postgres/tables/ledger.ts'
export const LANE = 'server/src/lane/lane.ts'
export const LANE_MEMORY = 'server/src/lane/lane-memory.ts'
export const DECIDE_BATCH = 'server/src/lane/decide-batch.ts'
export const ROUND = 'server/src/lane/round.ts'
export const STORE = 'server/src/lane/postgres-store.ts'
export const UNKNOWN = 'server/src/postgres/unknown-commit.ts'
export const VIEW = 'server/src/lane/committed-view.ts'
export const CERTAIN = 'server/src/lane/certain-refusal.ts'
export const LANES = 'server/src/lane/lanes.ts'
export const ROWS = 'server/src/postgres/batch/batch-rows.ts'
export const WRITE_ANSWERS = 'server/src/postgres/batch/answers.ts'
export const WRITE_LEDGER = 'server/src/postgres/batch/ledger.ts'
export const WRITE_SEATS = 'server/src/postgres/batch/seats.ts'
export const PACK = 'core/event/packed-changes.ts'
export const JOURNAL_TABLE = 'server/src/postgres/migrations/0012_packed_journal.sql'
export const CLAIM_TABLES = 'server/src/postgres/migrations/0013_claims.sql'
export const HISTORY = 'server/src/postgres/tables/hold-history.ts'
export const TABLES = 'server/src/postgres/migrations/0003_holds.sql'
export const FEED = 'server/src/live/feed.ts'
export const REAPER = 'server/src/jobs/reaper.ts'
export const PASSED_OVER = 'server/src/jobs/passed-over.ts'
export const CANCELLED = 'server/src/jobs/cancelled-events.ts'
export const TRANSFER = 'core/event/rules/transfer.ts'
export const NEW_CHANGES = 'core/event/rules/new-changes.ts'
export const END_HOLDS = 'core/event/rules/end-holds.ts'
export const SETTLE = 'core/event/rules/settle.ts'
export const HOLD = 'core/event/rules/hold.ts'
export const CART = 'core/event/rules/cart.ts'
export const APPLY = 'core/event/apply.ts'
export const LIMITS = 'core/event/rules/limits.ts'
export const DECIDE = 'core/event/decide.ts'
export const BREAKER = 'server/src/redis/breaker.ts'
export const PUT_EVENT = 'server/src/redis/scripts/put-event.lua'
export const FORGET_HOLD = 'server/src/redis/scripts/parts/forget-hold.lua'
export const BEGIN_EVENT = 'server/src/redis/scripts/begin-event.lua'
export const COPY = 'server/src/warm/copy.ts'
export const WARM_TIER = 'server/src/warm/warm-tier.ts'
export const WARM_READS = 'server/src/warm/warm-reads.ts'
export const AVAILABILITY = 'core/event/availability.ts'

export const without = (file: string, find: string): Patch => ({ file, find, by: '' })

export const NO_ZONE_CHECK = without(TABLES, ',\n  check (held + sold + blocked <= capacity)')
export const NO_ZONE_ASSERT: Patch = {
  file: APPLY,
  find: 'zone.held + zone.sold + zone.blocked + change.quantity <= zone.settings.capacity',
  by: 'true',
}
