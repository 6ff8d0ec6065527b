import type { Change } from '@voelgoed/core/event/change'
import type { EventStore } from '../../../server/src/lane/store.ts'
import type { Ledger } from '../../../server/src/postgres/tables/ledger.ts'

/** Bugs that a store can be given, to see that the simulator notices: each is one we say we do not have. */
export const PLANTS: Readonly<Record<string, (store: EventStore) => EventStore>> = {
  'an unknown commit is called failed': store => changed(store, { hasTrace: async () => false }),
  'an unknown commit is called done': store => changed(store, { hasTrace: async () => true }),
  'callers are answered before the commit': store =>
    changed(store, {
      locked: (event, keys, script) =>
        new Promise((resolve, reject) => {
          store
            .locked(event, keys, async locked => {
              const result = await script(locked)
              resolve(result)
              return result
            })
            .catch(reject)
        }),
    }),
  'the ledger is read before the lock, so that a catch-up is skipped': store =>
    changed(store, {
      async locked(event, keys, script) {
        const early = { ledger: null as Ledger | null }
        await store.look(event, async ({ ledger }) => {
          early.ledger = ledger
        })
        return store.locked(event, keys, locked => script({ ...locked, ledger: early.ledger! }))
      },
    }),
  'what other nodes did is read wrongly': store =>
    changed(store, {
      look: (event, script) =>
        store.look(event, seen =>
          script({
            ...seen,
            async continueJournal(from, count) {
              const read = await seen.continueJournal(from, count)
              return read && { ...read, changes: read.changes.map(asIfByStaff) }
            },
          }),
        ),
    }),
  'answers are not stored': store =>
    changed(store, {
      locked: (event, keys, script) =>
        store.locked(event, keys, locked => script({ ...locked, stored: new Map() })),
    }),
  'lost history keeps its epoch': store => changed(store, { raiseEpochIfLost: async () => false }),
  'a proof is asked for once and believed from then on': store => {
    let known: Awaited<ReturnType<EventStore['prove']>> = null
    return changed(store, {
      async prove(event, keyHash) {
        known ??= await store.prove(event, keyHash)
        return known && { ...known, stored: null }
      },
    })
  },
}

function asIfByStaff(change: Change): Change {
  return change.kind === 'seat_released' ? { ...change, reason: 'admin_override' } : change
}

function changed(store: EventStore, by: Partial<EventStore>): EventStore {
  return {
    load: event => store.load(event),
    locked: (event, keys, script) => store.locked(event, keys, script),
    look: (event, script) => store.look(event, script),
    hasTrace: (event, trace) => store.hasTrace(event, trace),
    pointsOf: (scope, eventIds) => store.pointsOf(scope, eventIds),
    prove: (event, keyHash) => store.prove(event, keyHash),
    raiseEpochIfLost: (event, known) => store.raiseEpochIfLost(event, known),
    ...by,
  }
}
