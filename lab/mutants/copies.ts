import type { Patch, TestedMutant } from './mutant.ts'
import { BEGIN_EVENT, FEED, PUT_EVENT, WARM_READS, WARM_TIER } from './sources.ts'
import { NOT_IF_NEWER } from './warm.ts'

const DIGEST = 'core/event/digest.ts'
const REGISTRY = 'server/src/registry/registry.ts'

const neverSilent = (file: string, argument: number): Patch => ({
  file,
  find: `local is_silent = now - (tonumber(known[5] or '') or 0) > tonumber(ARGV[${argument}])`,
  by: 'local is_silent = false',
})

/** Whether copies of an event are compared, made again and read as they should be. */
export const COPY_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'a copy of another policy is kept',
    about: 'a node that loads an event takes a copy for its own that was made under another policy',
    patches: [{ file: WARM_TIER, find: ' || isDamaged || isOfOldTerms', by: ' || isDamaged' }],
    test: 'server/test/warm-tier.test.ts',
  },
  {
    name: 'a copy of another policy is read',
    about: 'seats are read from a copy that was made under another policy',
    patches: [
      {
        file: WARM_READS,
        find: 'return isSamePoint(point, ledger) && isOf(under, ledger)',
        by: 'return isSamePoint(point, ledger)',
      },
    ],
    test: 'server/test/warm-reads.test.ts',
  },
  {
    name: 'a seat of a closed zone is free in the feed',
    about: 'the feed tells of a seat that was given back in a zone that is closed that it is free',
    patches: [{ file: FEED, find: 'isFree && isShut(this.#view.state, delta.ordinal)', by: 'false' }],
    test: 'server/src/live/feed-agrees.test.ts',
  },
  {
    name: 'a digest without counters',
    about: 'two copies whose counters differ have one digest',
    patches: [
      {
        file: DIGEST,
        find: 'for (const count of [available, held, sold, blocked, total]) words.add(count)',
        by: '',
      },
      {
        file: DIGEST,
        find: 'for (const count of [zone.capacity, zone.available, zone.held, zone.sold, zone.blocked]) words.add(count)',
        by: '',
      },
    ],
    test: 'core/event/digest.test.ts',
  },
  {
    name: 'a reconciliation of one node',
    about: 'the other nodes are not asked to load the event again',
    patches: [{ file: REGISTRY, find: "this.asking.ask(event, 'reload', seq),", by: '{ asked: true },' }],
    test: 'server/test/registry.test.ts',
  },
  {
    name: 'a copy is ended without what has changed',
    about: 'a copy that must be made again while it is made is ended by the attempt that is under way',
    patches: [
      {
        file: 'server/src/warm/warm-tier.ts',
        find: 'this.plans === plans && !this.isDropped ? this.takeUnwritten() : null',
        by: 'this.takeUnwritten()',
      },
    ],
    test: 'server/test/warm-tier.test.ts',
  },
  {
    name: 'the feed of a draft goes on',
    about:
      'readers of a draft that is published do not start again, and miss what happened before the first fact',
    patches: [{ file: FEED, find: 'if (feed && !feed.isOf(view)) feed.reset(view)', by: '' }],
    test: 'server/test/live.test.ts',
  },
  {
    name: 'put if newer dropped',
    about: 'a write that arrives late takes the copy in Redis back',
    patches: [NOT_IF_NEWER],
    test: 'server/test/warm-copy.test.ts',
  },
  {
    name: 'a writer that has died is waited for',
    about: 'the name of a node that stopped in the middle of a copy keeps the others from writing it',
    patches: [neverSilent(PUT_EVENT, 13), neverSilent(BEGIN_EVENT, 7)],
    test: 'server/test/warm-copy.test.ts',
  },
  {
    name: 'a removed copy comes back',
    about: 'a node that has not heard that an event is over makes its copy again, older than it was',
    patches: [
      {
        file: 'server/src/redis/scripts/remove-event.lua',
        find: "redis.call('HSET', KEYS[1], 'least_epoch', mark_epoch, 'least_seq', mark_seq)",
        by: '',
      },
    ],
    test: 'server/test/warm-copy.test.ts',
  },
  {
    name: 'readers who wait get an old view',
    about:
      'readers who wait for one JSON get what the first of them was given, though the event left memory since',
    patches: [
      {
        file: 'server/src/availability/snapshots.ts',
        find: 'waiting.map(each => each.view).reduce(newer)',
        by: 'waiting[0]!.view',
      },
    ],
    test: 'server/src/availability/snapshots.test.ts',
  },
  {
    name: 'readers hear of a change before they can read it',
    about: 'the revisions that exclusive work has written reach the view after its facts were told',
    patches: [
      {
        file: 'server/src/lane/round.ts',
        find: 'if (options.writesRows) takeTerms(hot, await locked.readTerms(termsOf(hot)))',
        by: '',
      },
    ],
    test: 'server/test/lane.test.ts',
  },
]
