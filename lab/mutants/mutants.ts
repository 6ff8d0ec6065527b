import type { Mutant, Patch } from './mutant.ts'

const LEDGER = 'server/src/postgres/ledger.ts'
const LANE = 'server/src/engine/lane.ts'
const UNKNOWN = 'server/src/postgres/unknown-commit.ts'
const TELLING = 'server/src/engine/telling.ts'
const CERTAIN = 'server/src/engine/certain-refusal.ts'
const ENGINE = 'server/src/engine/engine.ts'
const ROWS = 'server/src/engine/batch-rows.ts'
const WRITE = 'server/src/postgres/write-batch.ts'
const TABLES = 'server/src/postgres/migrations/0003_holds.sql'
const FEED = 'server/src/live/feed.ts'
const REAPER = 'server/src/jobs/reaper.ts'
const SETTLE = 'core/event/settle.ts'
const HOLD = 'core/event/hold.ts'
const CART = 'core/event/cart.ts'
const APPLY = 'core/event/apply.ts'
const LIMITS = 'core/event/limits.ts'
const AVAILABILITY = 'core/event/availability.ts'

const without = (file: string, find: string): Patch => ({ file, find, by: '' })

const NO_LOCK: Patch = { file: LEDGER, find: `event_id = $2 for update'`, by: `event_id = $2'` }
const NO_ZONE_CHECK = without(TABLES, ',\n  check (held + sold + blocked <= capacity)')
const NO_ZONE_ASSERT: Patch = {
  file: APPLY,
  find: 'zone.held + zone.sold + zone.blocked + change.quantity <= zone.settings.capacity',
  by: 'true',
}

/** Each brings back one bug of the specification, or takes one guard away. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no ledger lock',
    about: 'writers of one event do not wait for each other',
    patches: [NO_LOCK],
    scenario: 'race',
    second: 'left: the ledger only moves from the seq that was read',
  },
  {
    name: 'no ledger lock, nor anything behind it',
    about: 'writers of one event do not wait for each other, and nobody notices',
    patches: [
      NO_LOCK,
      { file: WRITE, find: 'and seq = $3 returning 1', by: 'and $3::bigint is not null returning 1' },
      without(WRITE, '         where b.version = c.version_before\n'),
      {
        file: WRITE,
        find: 'unnest($7::timestamptz[]), unnest($8::int[])`',
        by: 'unnest($7::timestamptz[]), unnest($8::int[]) on conflict do nothing`',
      },
      {
        file: TABLES,
        find: 'create unique index seat_holds_active_seat',
        by: 'create index seat_holds_active_seat',
      },
      without(TABLES, ',\n  primary key (organization_id, event_id, seq)'),
      {
        file: TABLES,
        find: `raise exception '% would go back', tg_table_name using`,
        by: `return null; raise exception '% would go back', tg_table_name using`,
      },
      NO_ZONE_CHECK,
    ],
    scenario: 'race',
    second: 'dropped: seq and version checks, unique indexes, triggers',
  },
  {
    name: 'seq not checked',
    about: 'a node decides on what it remembers, whatever others did since',
    patches: [{ file: LANE, find: 'if (missing > 0) {', by: 'if (missing > 1e9) {' }],
    scenario: 'race',
    second: 'left: the ledger only moves from the seq that was read',
  },
  {
    name: 'time read before the lock',
    about: 'the time that judges holds is that of asking for the lock, not of having it',
    patches: [
      {
        file: LEDGER,
        find: "const [, ledger] = await Promise.all([tx.prepared('lock_ledger', LOCK, [eventId]), readLedger(tx, eventId)])\n  return ledger",
        by: "const [early, , ledger] = await Promise.all([readLedger(tx, eventId), tx.prepared('lock_ledger', LOCK, [eventId]), readLedger(tx, eventId)])\n  return ledger && { ...ledger, now: early!.now }",
      },
    ],
    scenario: 'race',
    second: 'none',
  },
  {
    name: "the node's clock judges",
    about: "holds are judged by the node's wall clock, not by the database's",
    patches: [{ file: LANE, find: 'const { now } = ledger', by: 'const now = Date.now()' }],
    scenario: 'clock',
    second: 'none',
  },
  {
    name: 'expiry ignored on convert',
    about: 'a ticket is issued for a hold that has run out',
    patches: [
      {
        file: SETTLE,
        find: 'const userId = actor.person?.userId ?? null\n  const found = usableHolds(state, { holdIds, userId, checkoutId, now })',
        by: 'const userId = actor.person?.userId ?? null\n  const found = usableHolds(state, { holdIds, userId, checkoutId, now: 0 })',
      },
      without(APPLY, "assert(isAlive(hold, change.at), 'a conversion of a hold that has run out')"),
    ],
    scenario: 'churn without reapers',
    second: 'dropped: the assertion in apply',
  },
  {
    name: 'expiry ignored on extend',
    about: 'a hold that has run out can be extended',
    patches: [
      {
        file: SETTLE,
        find: 'Extend, now: number): Outcome {\n  const found = usableHolds(state, { holdIds: [holdId], userId: actor.person.userId, now })',
        by: 'Extend, now: number): Outcome {\n  const found = usableHolds(state, { holdIds: [holdId], userId: actor.person.userId, now: 0 })',
      },
      without(APPLY, "assert(isAlive(hold, change.at), 'an extension of a hold that has run out')"),
    ],
    scenario: 'churn without reapers',
    second: 'dropped: the assertion in apply',
  },
  {
    name: 'reaper frees by seat',
    about: 'a job for each hold frees its seat when its time is up, whoever has it by then',
    patches: [
      {
        file: REAPER,
        find: 'const lane = engine.lane(scope, eventId)',
        by: `const lane = engine.lane(scope, eventId)
  const state = (await lane.ready())!.state
  for (const { ordinal } of state.holds.values()) {
    if (ordinal === null) continue
    setTimeout(() => {
      const now = lane.hot?.state.holdOfSeat[ordinal]
      if (now) void lane.submit({ kind: 'release', reason: 'admin_override', commandId: randomUUID() as CommandId,
        actor: { person: null, ip: null, source: 'system' }, holdIds: [now.holdId] })
    }, 300)
  }`,
      },
    ],
    scenario: 'churn',
    second: 'none: it goes through the lane like everybody else',
  },
  {
    name: 'reaper asleep',
    about: 'nobody tidies up what has run out',
    patches: [{ file: REAPER, find: 'if (this.#stopped) return\n    let next', by: 'return\n    let next' }],
    scenario: 'churn',
    second: 'none',
  },
  {
    name: 'expired holds are in the way',
    about: 'a seat is only free once the reaper has been there',
    patches: [
      {
        file: AVAILABILITY,
        find: 'return status === HELD && !isAlive(state.holdOfSeat[ordinal]!, now) ? AVAILABLE : status',
        by: 'return status === HELD && now < 0 ? AVAILABLE : status',
      },
    ],
    scenario: 'churn without reapers',
    second: 'none',
  },
  {
    name: 'expired early',
    about: 'the reaper ends holds ten seconds before their time',
    patches: [
      { file: 'core/event/decide.ts', find: 'state.queue.due(now)', by: 'state.queue.due(now + 10_000)' },
      without(APPLY, "assert(!isAlive(hold, change.at), 'a hold expired before its time')"),
    ],
    scenario: 'churn',
    second: 'dropped: the assertion in apply',
  },
  {
    name: 'capacity read before the lock',
    about: 'how full a zone is, is read before the lock and believed afterwards',
    patches: [
      {
        file: LANE,
        find: 'const [ledger, stored] = await Promise.all([',
        by: `for (const zone of attempt.hot.state.zones as any[]) zone.seen = zone.held + zone.sold + zone.blocked
    const [ledger, stored] = await Promise.all([`,
      },
      {
        file: AVAILABILITY,
        find: 'let missing = held + sold + blocked + quantity - zone.capacity',
        by: 'let missing = ((state.zones[zone.zoneIndex] as any).seen ?? held + sold + blocked) + quantity - zone.capacity',
      },
      NO_ZONE_ASSERT,
      NO_ZONE_CHECK,
    ],
    scenario: 'race',
    second: 'dropped: the assertion in apply, the check of the table',
  },
  {
    name: 'capacity read before the lock, with the check of the table',
    about: 'the same, and only the table notices',
    patches: [
      {
        file: LANE,
        find: 'const [ledger, stored] = await Promise.all([',
        by: `for (const zone of attempt.hot.state.zones as any[]) zone.seen = zone.held + zone.sold + zone.blocked
    const [ledger, stored] = await Promise.all([`,
      },
      {
        file: AVAILABILITY,
        find: 'let missing = held + sold + blocked + quantity - zone.capacity',
        by: 'let missing = ((state.zones[zone.zoneIndex] as any).seen ?? held + sold + blocked) + quantity - zone.capacity',
      },
      NO_ZONE_ASSERT,
    ],
    scenario: 'race',
    second: 'left: the check of the table',
  },
  {
    name: 'answers not stored',
    about: 'a request that is repeated with its key is served again',
    patches: [{ file: WRITE, find: 'if (answers.rows > 0) {', by: 'if (answers.rows > 1e9) {' }],
    scenario: 'places',
    second: 'none',
  },
  {
    name: 'idempotency not in the transaction',
    about: 'answers are stored a moment after the commit of what they tell of',
    patches: [
      {
        file: LANE,
        find: 'builder.keep(kept)',
        by: `setTimeout(() => void this.#deps.database.tenant(this.scope, late => late.query(
            'insert into idempotency_keys (organization_id, key_hash, fingerprint, status, answer) values ($1, $2, $3, $4, $5) on conflict do nothing',
            [kept.keyHash, kept.fingerprint, kept.status, kept.answer])).catch(() => {}), 150)`,
      },
      { file: LANE, find: `stored.set(key.keyHash.toString('latin1'), kept)`, by: '' },
    ],
    scenario: 'places',
    second: 'none',
  },
  {
    name: 'a key for any body',
    about: 'whatever is sent with a known key gets the stored answer',
    patches: [{ file: CERTAIN, find: 'stored.fingerprint.equals(key.fingerprint)', by: 'stored' }],
    scenario: 'places',
    second: 'left: an answer only opens with the body it was given to',
  },
  {
    name: 'feed before commit',
    about: 'readers are told when a batch is decided, not when it is committed',
    patches: [
      {
        file: LANE,
        find: 'attempt.decidedAt = performance.now()',
        by: 'attempt.decidedAt = performance.now()\n    void this.#telling.tell(hot, attempt.changes)',
      },
    ],
    scenario: 'lost commits',
    second: 'none',
  },
  {
    name: 'feed forgets',
    about: 'now and then a change does not reach the readers',
    patches: [
      {
        file: FEED,
        find: 'if (delta) this.#deltas.push(delta)',
        by: 'if (delta && delta.seq % 9 !== 0) this.#deltas.push(delta)',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'identity on the feed',
    about: 'the public feed says who holds a seat',
    patches: [
      {
        file: FEED,
        find: `?? COUNTERS_ONLY, status: 'held' }`,
        by: `?? COUNTERS_ONLY, status: 'held', by: change.userId } as Delta`,
      },
      {
        file: FEED,
        find: '.map(delta => [delta.ordinal, delta.status])',
        by: '.map(delta => [delta.ordinal, delta.status, (delta as any).by])',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'organization filter gone',
    about: 'an event in memory is found by its id alone',
    patches: [
      { file: ENGINE, find: 'let lane = this.#lanes.get(key)', by: 'let lane = this.#lanes.get(eventId)' },
      { file: ENGINE, find: 'this.#lanes.set(key, lane)', by: 'this.#lanes.set(eventId, lane)' },
    ],
    scenario: 'groups',
    second: 'none: row-level security never sees the stranger',
  },
  {
    name: 'anybody may release',
    about: 'a hold is given back by whoever knows its id',
    patches: [
      { file: SETTLE, find: 'return hold.user.key === command.actor.person.userId', by: 'return true' },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'anybody may extend',
    about: 'a hold is extended by whoever knows its id',
    patches: [{ file: SETTLE, find: ': hold?.user.key === userId', by: ': true' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'cap on extension gone',
    about: 'whoever extends again and again keeps a seat for ever',
    patches: [{ file: CART, find: 'Math.min(until, capUntil - PAYMENT_WINDOW_MS)', by: 'until' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'extension shortens',
    about: 'whoever extends while paying is told of an earlier end',
    patches: [
      {
        file: CART,
        find: 'Math.max(heldUntil, Math.min(until, capUntil - PAYMENT_WINDOW_MS))',
        by: 'Math.min(until, capUntil - PAYMENT_WINDOW_MS)',
      },
    ],
    scenario: 'sale',
    second: 'none',
  },
  {
    name: 'an extension leaves the rest of the cart behind',
    about: 'holds of one buyer end one by one',
    patches: [
      {
        file: SETTLE,
        find: 'extendCart(draft, livingHolds(hold.user.all, now), heldUntil)',
        by: 'draft.extend(hold, { heldUntil })',
      },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'a new hold has a clock of its own',
    about: 'what joins a cart does not end with it',
    patches: [{ file: CART, find: 'if (!some) {', by: 'if (!some || some) {' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'limits count holds',
    about: 'a hold of several places counts as one',
    patches: [{ file: LIMITS, find: 'queue?.places ?? 0', by: 'queue?.size ?? 0' }],
    scenario: 'hoarding',
    second: 'none',
  },
  {
    name: 'extensions not in the journal',
    about: 'a change without an entry',
    patches: [
      {
        file: ROWS,
        find: 'journal: columns(journal, rows',
        by: "journal: columns(journal.filter(row => row.change.kind !== 'seat_hold_extended'), rows",
      },
    ],
    scenario: 'mixed',
    second: 'left: a node that catches up trips over the gap',
  },
  {
    name: 'sold seats can be held',
    about: 'whether a seat is sold is not looked at',
    patches: [
      {
        file: AVAILABILITY,
        find: 'const status = state.seatStatus[ordinal]!\n',
        by: 'const status = state.seatStatus[ordinal]! === 2 ? AVAILABLE : state.seatStatus[ordinal]!\n',
      },
      without(APPLY, "assert(state.seatStatus[ordinal] === from, 'a transition that is not legal')"),
      NO_ZONE_ASSERT,
      NO_ZONE_CHECK,
      {
        file: TABLES,
        find: `when (old.status = 'sold') execute function refuse_unselling()`,
        by: 'when (false) execute function refuse_unselling()',
      },
    ],
    scenario: 'sale',
    second: 'dropped: the assertion in apply, the trigger and the check of the tables',
  },
  {
    name: 'an empty checkout',
    about: 'a checkout without holds is a success',
    patches: [without(SETTLE, "if (holds.length === 0) return refuse({ kind: 'hold_not_found' })")],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'crossed checkouts',
    about: 'a hold that is in payment is converted by another checkout',
    patches: [
      {
        file: SETTLE,
        find: 'hold.checkoutId !== null && hold.checkoutId !== checkoutId)',
        by: 'hold === null)',
      },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'expired in two writes',
    about: 'the hold ends, and its seat stays held',
    patches: [
      {
        file: ROWS,
        find: "this.#end(change, 'expired', 'ttl_expired')\n        this.#seat(change, FREE)",
        by: "this.#end(change, 'expired', 'ttl_expired')",
      },
    ],
    scenario: 'churn',
    second: 'left: the version of the seat is not what the next change expects',
  },
  {
    name: 'counters forgotten',
    about: 'a hold that is given back stays in the counters of the table',
    patches: [
      {
        file: ROWS,
        find: "this.#end(change, 'cancelled', change.reason)\n        this.#seat(change, FREE)\n        this.#count(change.zoneIndex, { held: -change.quantity })",
        by: "this.#end(change, 'cancelled', change.reason)\n        this.#seat(change, FREE)",
      },
    ],
    scenario: 'groups',
    second: 'left: the check of the table, once the zone seems full',
  },
  {
    name: 'part of a group',
    about: 'of several seats those are held that are free',
    patches: [
      {
        file: HOLD,
        find: 'const { actor, ordinals, holdIds } = command',
        by: `const { actor, holdIds: ids } = command
  const some = command.ordinals.filter(ordinal => statusAt(state, ordinal, now) === AVAILABLE)
  const ordinals = some.length > 0 ? some : command.ordinals
  const holdIds = ids.slice(0, ordinals.length)`,
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'no limit for a user',
    about: 'max_holds_per_user is not looked at',
    patches: [
      { file: LIMITS, find: 'if (perUser !== null && !makeRoom', by: 'if (perUser === -1 && !makeRoom' },
    ],
    scenario: 'hoarding',
    second: 'none',
  },
  {
    name: 'what is mine is not known',
    about: 'whoever asks again for a seat they hold is told that another has it',
    patches: [
      {
        file: HOLD,
        find: 'return hold !== null && hold.user.key === userId && isAlive(hold, now) ? hold : null',
        by: 'return null',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'unknown called failed',
    about: 'a commit without an answer is reported as if nothing had happened',
    patches: [
      {
        file: UNKNOWN,
        find: 'return (await commandAt(tx, eventId, trace.seq)) === trace.command',
        by: 'return false',
      },
    ],
    scenario: 'late commits',
    second: 'none',
  },
  {
    name: 'unknown called done',
    about: 'a commit without an answer is reported as a success',
    patches: [
      {
        file: UNKNOWN,
        find: 'return (await commandAt(tx, eventId, trace.seq)) === trace.command',
        by: 'return true',
      },
    ],
    scenario: 'lost commits',
    second: 'none',
  },
  {
    name: 'stored answers of an unknown commit believed',
    about: 'a batch with nothing but stored answers counts as committed, whether it was or not',
    patches: [{ file: LANE, find: "firstKept && { kind: 'answer', ...firstKept }", by: 'null' }],
    scenario: 'lost answers',
    second: 'none',
  },
  {
    name: 'memory refuses what is held',
    about:
      'a seat that is held in memory is refused without a proof, though another node may have released it',
    patches: [
      {
        file: CERTAIN,
        find: "problem.kind === 'seat_not_available' && problem.currentStatus === 'sold'",
        by: "problem.kind === 'seat_held_by_another_user' || problem.kind === 'seat_not_available'",
      },
      {
        file: LANE,
        find: "typeof said !== 'string' && key === null",
        by: "typeof said !== 'string'",
      },
      { file: ENGINE, find: 'if (lane?.hot && lane.hot.state.seq < seq) void lane.sync()', by: '' },
    ],
    scenario: 'groups',
    second: 'dropped: announcements of other nodes are not heard, so that memory is as old as it may be',
  },
  {
    name: 'catching up before commands',
    about: 'a node catches up with announcements before it serves its buyers',
    patches: [
      {
        file: LANE,
        find: 'const work = this.#next() ?? (sync && (() => this.#syncNow()))',
        by: 'const work = (sync && (() => this.#syncNow())) ?? this.#next()',
      },
    ],
    scenario: 'slow line',
    second: 'none',
  },
  {
    name: 'seq that goes back ignored',
    about: 'followers are not told when Postgres has lost what they heard',
    patches: [
      { file: TELLING, find: 'if (isSamePoint(from, to)) return', by: 'if (to.seq <= from.seq) return' },
    ],
    scenario: 'failover',
    second: 'none',
  },
  {
    name: 'answered before the commit',
    about: 'callers hear of success when it is decided',
    patches: [
      {
        file: LANE,
        find: 'attempt.decidedAt = performance.now()',
        by: 'attempt.decidedAt = performance.now()\n    for (const [index, pending] of batch.entries()) pending.settle(attempt.answers[index]!)',
      },
    ],
    scenario: 'lost commits',
    second: 'none',
  },
]
