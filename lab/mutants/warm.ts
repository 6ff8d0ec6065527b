import type { Mutant } from './mutant.ts'
import {
  BEGIN_EVENT,
  BREAKER,
  COPY,
  FORGET_HOLD,
  PUT_EVENT,
  WARM_READS,
  WARM_TIER,
  without,
} from './sources.ts'

/** Alone it shows in no run: a write that leads to another number of holds makes the copy again. */
const NOT_IF_NEWER = without(PUT_EVENT, `  if s > to_seq then return answer('newer') end\n`)

/** Copies of events in Redis: how they are written, and what is believed of them. */
export const WARM_MUTANTS: readonly Mutant[] = [
  {
    name: 'delete without comparing',
    about: 'a write that arrives late deletes the key of the next hold of a seat',
    patches: [
      NOT_IF_NEWER,
      {
        file: FORGET_HOLD,
        find: `if type(value) == 'table' or (value and string.sub(value, 1, #start) == start) then`,
        by: 'if value then',
      },
    ],
    scenario: 'redis jitter',
    second: 'dropped: a late write is refused',
  },
  {
    name: 'breaker never closes',
    about: 'a node that has lost Redis once does without it from then on',
    patches: [
      { file: BREAKER, find: '() => halfOpenAfterMs * (0.8 + 0.4 * Math.random())', by: '() => 1e9' },
    ],
    scenario: 'redis away',
    second: 'none',
  },
  {
    name: 'epoch ignored',
    about: 'a copy that knows what Postgres has lost is not written over, because its seq is higher',
    patches: [
      {
        file: BEGIN_EVENT,
        find: `  if e > epoch then return answer('newer') end\n  if e == epoch then`,
        by: '  if true then',
      },
      without(
        PUT_EVENT,
        `  if e > epoch then return answer('newer') end\n  if e < epoch then return answer('missing') end\n`,
      ),
    ],
    scenario: 'redis and failover',
    second: 'left: readers pass over a copy of another epoch',
  },
  {
    name: 'copy not marked stale after a drop',
    about: 'what was too much to remember is dropped, and the copy goes on without it',
    patches: [
      { file: WARM_TIER, find: 'const MAX_UNWRITTEN = 20_000', by: 'const MAX_UNWRITTEN = 10' },
      {
        file: WARM_TIER,
        find: `if (isNewPlan || isTooMuch || event.isOtherwiseShown) event.plan('rebuild')`,
        by: `if (isNewPlan || event.isOtherwiseShown) event.plan('rebuild')
    else if (isTooMuch) event.unwritten = new Unwritten()`,
      },
      {
        file: PUT_EVENT,
        find: `if redis.call('ZCARD', KEYS[3]) ~= tonumber(ARGV[11]) then`,
        by: 'if false then',
      },
    ],
    scenario: 'redis away',
    second: 'dropped: the number of holds that a write must lead to; the patch also makes 10 too much',
  },
  {
    name: 'a rebuild leaves holds that ended',
    about: 'a copy that is made again keeps the holds of the old one',
    patches: [
      without(
        COPY,
        `    if (!(await this.#forgetEnded(writer, state))) return { status: 'taken', point: null }\n`,
      ),
    ],
    scenario: 'redis restored',
    second: 'left: a write that leads to another number of holds makes the copy again',
  },
  {
    name: 'a cold read ignores what Postgres has',
    about: 'a copy is believed however old it is',
    patches: [
      {
        file: WARM_READS,
        find: 'if (point.epoch !== ledger.epoch || point.seq < ledger.seq) return false',
        by: 'if (point.seq <= ledger.seq) return true',
      },
    ],
    scenario: 'redis jitter',
    second: 'none',
  },
  {
    name: 'holds that have run out are held for cold readers',
    about: 'what has run out and is not tidied up is not free in an answer from Redis',
    patches: [
      {
        file: WARM_READS,
        find: 'const free = await this.#freeAgain(event, raw)',
        by: 'const free = new Map()',
      },
    ],
    scenario: 'redis without reapers',
    second: 'none',
  },
  {
    name: 'an outage of Redis reaches callers',
    about: 'a cold read fails when Redis does not answer',
    patches: [
      without(
        WARM_READS,
        `      if (error instanceof RedisUnavailable || isReplyError(error)) return 'unavailable' as const\n`,
      ),
    ],
    scenario: 'redis away',
    second: 'none',
  },
  {
    name: 'an event that is over stays in Redis',
    about: 'the copy of a cancelled event is kept and written to',
    patches: [
      {
        file: WARM_TIER,
        find: `if (!isOnSale(view.state.settings.status)) event.plan('remove')\n    else if (fact.kind`,
        by: 'if (fact.kind',
      },
    ],
    scenario: 'redis and cancelling',
    second: 'none',
  },
]
