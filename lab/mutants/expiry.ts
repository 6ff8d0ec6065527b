import type { Mutant } from './mutant.ts'
import {
  APPLY,
  AVAILABILITY,
  DECIDE,
  PASSED_OVER,
  REAPER,
  ROUND,
  ROWS,
  SELL,
  SETTLE,
  without,
} from './sources.ts'

/** Holds that end at the wrong time, or by the wrong hand. */
export const EXPIRY_MUTANTS: readonly Mutant[] = [
  {
    name: "the node's clock judges",
    about: "holds are judged by the node's wall clock, not by the database's",
    patches: [{ file: ROUND, find: 'return this.locked.ledger.now', by: 'return Date.now()' }],
    scenario: 'clock',
    second: 'none',
  },
  {
    name: 'expiry ignored on a sale',
    about: 'a ticket is issued for a hold that has run out',
    patches: [
      {
        file: SELL,
        find: 'again: isAlive(hold, now) ? null : again, hold',
        by: 'again: null, hold',
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
    name: 'expired holds are in the way',
    about: 'a seat is only free once the reaper has been there',
    patches: [
      {
        file: AVAILABILITY,
        find: 'return status === HELD && heldUntilOf(state, ordinal) <= now ? AVAILABLE : status',
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
      { file: DECIDE, find: 'state.queue.due(now)', by: 'state.queue.due(now + 10_000)' },
      without(APPLY, "assert(!isAlive(hold, change.at), 'a hold expired before its time')"),
    ],
    scenario: 'churn',
    second: 'dropped: the assertion in apply',
  },
  {
    name: 'expired in two writes',
    about: 'the hold ends in the journal, and its seat stays held',
    patches: [
      {
        file: ROWS,
        find: 'this.#release(change)\n',
        by: "if (change.kind === 'seat_released') this.#release(change)\n",
      },
    ],
    scenario: 'churn',
    second: 'left: the version of the seat is not what the next change expects',
  },
  {
    name: 'reaper frees by seat',
    about: 'a job for each hold frees its seat when its time is up, even if another buyer has it by then',
    patches: [
      {
        file: REAPER,
        find: "{ work, lanes, newId }: Pick<ReaperDeps, 'work' | 'lanes' | 'newId'>,",
        by: "{ work, lanes, newId, time }: Pick<ReaperDeps, 'work' | 'lanes' | 'newId' | 'time'>,",
      },
      {
        file: REAPER,
        find: 'reapEvent(lanes, event, newId)',
        by: 'reapEvent(lanes, event, newId, time)',
      },
      {
        file: REAPER,
        find: 'newId: () => string = randomUUID,',
        by: 'newId: () => string = randomUUID, time: Time,',
      },
      {
        file: REAPER,
        find: 'const lane = lanes.lane(scope, eventId)',
        by: `const lane = lanes.lane(scope, eventId)
  const state = (await lane.ready())!.state
  for (const { ordinal } of state.holds.values()) {
    if (ordinal === null) continue
    time.after(300, () => {
      const now = lane.view && [...lane.view.state.holds.values()].find(hold => hold.ordinal === ordinal)
      if (now) void lane.submit({ kind: 'release', reason: 'admin_override', commandId: randomUUID() as CommandId,
        actor: { person: null, ip: null, source: 'system' }, holdIds: [now.holdId] })
    })
  }`,
      },
    ],
    scenario: 'churn',
    second: 'none: it goes through the lane like everybody else',
  },
  {
    name: 'reaper asleep',
    about: 'no node ends the holds that have run out',
    patches: [
      {
        file: REAPER,
        find: 'async #run(): Promise<number> {\n',
        by: 'async #run(): Promise<number> {\n    return LONGEST_SLEEP_MS\n',
      },
    ],
    scenario: 'churn',
    second: 'none',
  },
  {
    name: 'reaper never comes back',
    about: 'an event that a reaper could not tidy up is never tried again',
    patches: [
      {
        file: PASSED_OVER,
        find: 'const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)',
        by: 'const waitMs = 1e9 * failures',
      },
    ],
    scenario: 'churn and lost commits',
    second: 'none',
  },
]
