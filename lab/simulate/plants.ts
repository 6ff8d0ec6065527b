import type { Change } from '@voelgoed/core/event/change'
import type { EventAddress, EventStore } from '@voelgoed/engine/ports/store'
import type { Ledger } from '@voelgoed/engine/tables/ledger'
import { EVENTS } from './hall.ts'
import type { NodeParts } from './node.ts'
import type { PlanWishes } from './plan.ts'

/** A bug that a node can be given, and the runs in which it shows soon. */
export interface Plant {
  readonly parts: NodeParts
  readonly wishes?: PlanWishes
}

/** To see that the simulator notices: each is a bug we say we do not have. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  ...storePlants({
    'an unknown commit is called failed': store => changed(store, { hasTrace: async () => false }),
    'an unknown commit is called done': store => changed(store, { hasTrace: async () => true }),
    'callers are answered before the commit': store =>
      changed(store, {
        locked: (event, asked, script) =>
          new Promise((resolve, reject) => {
            store
              .locked(event, asked, async locked => {
                const result = await script(locked)
                resolve(result)
                return result
              })
              .catch(reject)
          }),
      }),
    'the ledger is read before the lock, so that a catch-up is skipped': store =>
      changed(store, {
        async locked(event, asked, script) {
          const early = { ledger: null as Ledger | null }
          await store.look(event, async ({ ledger }) => {
            early.ledger = ledger
          })
          return store.locked(event, asked, locked => script({ ...locked, ledger: early.ledger! }))
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
        locked: (event, asked, script) =>
          store.locked(event, asked, locked => script({ ...locked, stored: new Map() })),
      }),
    'answers are not looked up for commands that came late': store =>
      changed(store, {
        locked: (event, asked, script) =>
          store.locked(event, asked, locked => {
            const lookUp: typeof locked.lookUp = late => locked.lookUp({ ...late, keys: [] })
            return script({ ...locked, lookUp })
          }),
      }),
    'the ledger keeps its first tip': store => {
      const tips = new Map<string, Ledger['tip']>()
      return changed(store, {
        locked: (event, asked, script) =>
          store.locked(event, asked, locked => {
            const { ledger } = locked
            const tip = tips.get(event.eventId) ?? ledger.tip
            tips.set(event.eventId, tip)
            return script({ ...locked, ledger: { ...ledger, tip } })
          }),
      })
    },
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
    'a policy that has changed is not read again': store =>
      changed(store, {
        locked: (event, asked, script) =>
          store.locked(event, asked, locked => script({ ...locked, refresh: async known => known })),
      }),
  }),
  'commands that came late are decided as of the lock': {
    parts: { store: asOfTheLock },
    wishes: { faults: ['slow calls'] },
  },
  'what is the matter with one event holds up another': {
    parts: { store: oneAtATime },
    wishes: { events: 2, faults: ['stuck event'] },
  },
  'jobs see the first event only': {
    parts: {
      work: work => ({
        takeDue: async (limit, except) => (await work.takeDue(limit, except)).filter(isFirst),
        nextDueIn: except => work.nextDueIn(except),
        cancelled: async (limit, except) => (await work.cancelled(limit, except)).filter(isFirst),
      }),
    },
    wishes: { events: 2 },
  },
}

function storePlants(
  plants: Readonly<Record<string, (store: EventStore) => EventStore>>,
): Readonly<Record<string, Plant>> {
  return Object.fromEntries(Object.entries(plants).map(([name, store]) => [name, { parts: { store } }]))
}

function asOfTheLock(store: EventStore): EventStore {
  return changed(store, {
    locked: (event, asked, script) =>
      store.locked(event, asked, locked =>
        script({
          ...locked,
          lookUp: async late => {
            await locked.lookUp(late)
            return locked
          },
        }),
      ),
  })
}

/** A lock around all locks. */
function oneAtATime(store: EventStore): EventStore {
  let last: Promise<unknown> = Promise.resolve()
  return changed(store, {
    locked: (event, asked, script) => {
      const next = last.then(() => store.locked(event, asked, script))
      last = next.catch(() => {})
      return next
    },
  })
}

function isFirst({ eventId }: EventAddress): boolean {
  return eventId === EVENTS[0]!.eventId
}

function asIfByStaff(change: Change): Change {
  return change.kind === 'seat_released' ? { ...change, reason: 'admin_override' } : change
}

function changed(store: EventStore, by: Partial<EventStore>): EventStore {
  return {
    load: event => store.load(event),
    locked: (event, asked, script) => store.locked(event, asked, script),
    look: (event, script) => store.look(event, script),
    hasTrace: (event, trace) => store.hasTrace(event, trace),
    pointsOf: (scope, eventIds) => store.pointsOf(scope, eventIds),
    prove: (event, keyHash) => store.prove(event, keyHash),
    raiseEpochIfLost: (event, known) => store.raiseEpochIfLost(event, known),
    ...by,
  }
}
