import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckoutId, CommandId, HoldId, TicketId, UserId } from '../ids.ts'
import type { Change } from './change.ts'
import type { Actor, Command } from './command.ts'
import { ChangePacker, DamagedJournal, type PackedRow, unpack } from './packed-changes.ts'

const uuid = <Id extends string>() => fc.uuid() as unknown as fc.Arbitrary<Id>
const time = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })
const seatOrPlaces = fc.oneof(
  fc.record({
    ordinal: fc.nat(200_000),
    version: fc.integer({ min: 1, max: 1_000 }),
    quantity: fc.constant(1),
  }),
  fc.record({
    ordinal: fc.constant(null),
    version: fc.constant(null),
    quantity: fc.integer({ min: 1, max: 50 }),
  }),
)
const ofHold = fc
  .record({ holdId: uuid<HoldId>(), zoneIndex: fc.nat(300), place: seatOrPlaces })
  .map(({ place, ...rest }) => ({ ...rest, ...place }))
const ofSeat = fc.record({
  ordinal: fc.nat(200_000),
  version: fc.integer({ min: 1, max: 1_000 }),
  zoneIndex: fc.nat(300),
  reason: fc.string(),
})
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const ip = fc.constantFrom('10.0.0.1', '2001:db8::1')

type Kind = Change['kind']
type MembersOf<K extends Kind> = Omit<Extract<Change, { kind: K }>, 'kind' | 'seq' | 'at'>

/** Any change of each kind; the compiler asks for a new kind, and for a new member that must be there. */
const MEMBERS: { readonly [K in Kind]: fc.Arbitrary<MembersOf<K>> } = {
  seat_reserved: and(ofHold, {
    userId: uuid<UserId>(),
    ip: orNull(ip),
    cartToken: orNull(fc.string()),
    heldUntil: time,
    capUntil: time,
  }),
  seat_hold_extended: and(ofHold, { heldUntil: time }, { capUntil: time }),
  payment_started: and(ofHold, { checkoutId: uuid<CheckoutId>(), heldUntil: time }),
  hold_reduced: and(ofHold, { freed: fc.integer({ min: 1, max: 50 }) }),
  payment_ended: and(ofHold, { checkoutId: uuid<CheckoutId>() }),
  hold_transferred: and(ofHold, { userId: uuid<UserId>(), heldUntil: time, capUntil: time }),
  seat_hold_expired: ofHold,
  seat_released: and(ofHold, {
    reason: fc.constantFrom('user_cancelled', 'admin_override', 'payment_failed', 'event_cancelled'),
    notes: orNull(fc.string()),
  }),
  seat_converted: and(ofHold, {
    userId: uuid<UserId>(),
    checkoutId: uuid<CheckoutId>(),
    ticketIds: fc.array(uuid<TicketId>(), { minLength: 1, maxLength: 4 }),
  }),
  seat_blocked: ofSeat,
  seat_unblocked: ofSeat,
  companions_released: fc.record({
    zoneIndex: fc.nat(300),
    occupied: fc.nat(),
    capacity: fc.nat(),
    ordinals: fc.array(fc.nat(), { maxLength: 4 }),
  }),
  ticket_voided: fc.record({
    ticketId: uuid<TicketId>(),
    ordinal: orNull(fc.nat(200_000)),
    version: orNull(fc.integer({ min: 1, max: 1_000 })),
    zoneIndex: fc.nat(300),
    reason: fc.string(),
  }),
  event_changed: fc.record(
    {
      status: fc.constantFrom('live', 'cancelled'),
      saleStart: orNull(time),
      saleEnd: orNull(time),
      zones: fc.array(
        fc.record({
          zoneIndex: fc.nat(300),
          capacity: fc.nat(),
          access: fc.constant({ kind: 'public' } as never),
          disabled: fc.boolean(),
        }),
      ),
    },
    { requiredKeys: [] },
  ),
}

function and<A extends object, B extends object, C extends object = object>(
  base: fc.Arbitrary<A>,
  members: { [K in keyof B]: fc.Arbitrary<B[K]> },
  optional: { [K in keyof C]: fc.Arbitrary<C[K]> } = {} as never,
): fc.Arbitrary<A & B & Partial<C>> {
  return fc
    .tuple(base, fc.record(members), fc.record(optional, { requiredKeys: [] }))
    .map(([a, b, c]) => ({ ...a, ...b, ...c }) as A & B & Partial<C>)
}

const actor: fc.Arbitrary<Actor> = fc
  .record({
    userId: orNull(uuid<UserId>()),
    source: fc.constantFrom('web', 'embed', 'api', 'scanner', 'admin', 'system'),
    from: orNull(fc.record({ address: orNull(ip), userAgent: orNull(fc.string()) })),
  })
  .map(({ userId, source, from }) => ({
    person: userId === null ? null : ({ userId } as NonNullable<Actor['person']>),
    ip: null,
    source,
    ...(from ? { from } : {}),
  }))

interface Given {
  readonly change: Change
  readonly command: Command
  readonly previous: number
}

/** Commands with some changes each, as a batch has them; a user id is the actor's now and then. */
const batch: fc.Arbitrary<Given[]> = fc
  .record({
    firstSeq: fc.integer({ min: 1, max: 2 ** 40 }),
    at: time,
    commands: fc.array(
      fc.record({
        commandId: uuid<CommandId>(),
        actor,
        later: fc.constantFrom(0, 0, 0, 7),
        changes: fc.array(
          fc
            .constantFrom(...(Object.keys(MEMBERS) as Kind[]))
            .chain(kind =>
              fc.tuple(fc.constant(kind), MEMBERS[kind] as fc.Arbitrary<object>, fc.boolean(), fc.nat()),
            ),
          { minLength: 1, maxLength: 4 },
        ),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ firstSeq, at, commands }) => {
    let seq = firstSeq
    return commands.flatMap(({ commandId, actor, later, changes }) => {
      const command = { commandId, actor } as Command
      return changes.map(([kind, members, isActors, previous]): Given => {
        const own = isActors && 'userId' in members && actor.person ? { userId: actor.person.userId } : {}
        const change = { ...members, ...own, kind, seq, at: at + later } as Change
        seq += 1
        return { change, command, previous }
      })
    })
  })

function pack(given: readonly Given[]): PackedRow {
  const packer = new ChangePacker()
  for (const { change, command, previous } of given) packer.add(change, command, previous)
  return packer.pack()!
}

function entryOf({ change, command, previous }: Given) {
  const { person, source, from } = command.actor
  return {
    change,
    commandId: command.commandId,
    actorId: person?.userId ?? null,
    source,
    from: from ?? null,
    previous: 'holdId' in change ? previous : null,
  }
}

describe('a packed batch', () => {
  it('is read as it was written, whatever happened in it', () => {
    fc.assert(
      fc.property(batch, given => {
        const row = pack(given)
        expect({ first: row.firstSeq, last: row.lastSeq }).toEqual({
          first: given[0]!.change.seq,
          last: given.at(-1)!.change.seq,
        })
        expect(row.firstCommand).toBe(given[0]!.command.commandId)
        expect(row.lastCommand).toBe(given.at(-1)!.command.commandId)
        const entries = unpack(row)
        expect(entries.map(entry => ({ ...entry, from: null }))).toEqual(
          given.map(one => ({ ...entryOf(one), from: null })),
        )
        for (const [index, entry] of entries.entries()) {
          const { from } = entryOf(given[index]!)
          expect(entry.from ?? NOWHERE).toEqual(from ?? NOWHERE)
        }
      }),
      { seed: 12, numRuns: 300 },
    )
  })

  it('is read from any of its entries to any other', () => {
    fc.assert(
      fc.property(batch, fc.nat(30), fc.nat(30), (given, skipped, count) => {
        const row = pack(given)
        const from = row.firstSeq - 3 + skipped
        const to = from + count
        expect(unpack(row, { from, to }).map(({ change }) => change)).toEqual(
          given.map(({ change }) => change).filter(({ seq }) => seq >= from && seq <= to),
        )
      }),
      { seed: 13, numRuns: 200 },
    )
  })

  it('says whether staff did something in it', () => {
    const by = (kind: Kind, source: string) =>
      pack([
        {
          change: { kind, seq: 1, at: 1, heldUntil: 1, capUntil: 1, ip: null, cartToken: null } as never,
          command: { commandId: 'c', actor: { person: null, ip: null, source } } as never,
          previous: 0,
        },
      ]).byStaff
    expect(by('seat_reserved', 'web')).toBe(false)
    expect(by('seat_reserved', 'admin')).toBe(false)
    expect(by('seat_released', 'admin')).toBe(true)
    expect(by('seat_blocked', 'api')).toBe(true)
  })

  it('that is damaged is refused by name', () => {
    const row = {
      firstSeq: 5,
      lastSeq: 5,
      at: 1,
      encoding: 1,
      packed: '[[["c",null,"web"]],[[5,0,0,"h",1,2,0,1]],[]]',
    }
    expect(unpack(row)).toHaveLength(1)
    for (const damage of [
      { packed: 'not JSON' },
      { packed: '{}' },
      { packed: '[[],[],[]]' },
      { packed: row.packed.replace('[5,0,', '[99,0,') },
      { packed: row.packed.replace('[5,0,', '[5,1,') },
      { packed: row.packed.replace('"h",1,2,0,1', '"h",1,2,0') },
      { packed: row.packed.replace('"h",1,2,0,1', '"h",1,2,0,1,1') },
      { lastSeq: 6 },
      { encoding: 2 },
    ]) {
      expect(() => unpack({ ...row, ...damage })).toThrow(DamagedJournal)
    }
  })
})

const NOWHERE = { address: null, userAgent: null }
