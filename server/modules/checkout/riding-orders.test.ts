import type { OrganizationId } from '@voelgoed/core/ids'
import { Lane } from '@voelgoed/engine/lane/lane'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { CommitUnknown, type Database } from '@voelgoed/kit/postgres/database'
import { checkoutsAt } from '@voelgoed/testing/checkouts'
import type { Hall } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

const used = useServer({ VOELGOED_REAPER: 'off' })
const { server, ours, send } = used
const { pricedHall, guest, hold, open, pay, read, order, twoSeats } = checkoutsAt(used)
afterEach(() => vi.restoreAllMocks())
afterAll(() => expectSound(server.database))

/** Checkouts of two seats each, of different buyers. */
const several = (at: Hall, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => twoSeats(at, [2 * n, 2 * n + 1])))
const batchesOf = async (at: Hall) =>
  (
    await server.database.sql<{ n: number }>('select count(*)::int as n from journal where event_id = $1', [
      at.eventId,
    ])
  )[0]!.n
const exclusives = () => vi.spyOn(Lane.prototype, 'exclusive')

/** Something happens between what a checkout has read and the lock: before its first ride, or its second. */
function beforeRide(kind: 'start_payment' | 'sell', happens: () => Promise<unknown>): void {
  const { carry } = Lane.prototype
  vi.spyOn(Lane.prototype, 'carry').mockImplementation(async function (this: Lane, step, how) {
    if (step.rides && step.command(step.rides.known)?.kind === kind) await happens()
    return carry.call(this, step, how) as never
  })
}

/** So many orders get there in one moment, and so into one batch. */
function togetherAt(kind: 'start_payment' | 'sell', count: number): void {
  let arrived = 0
  let goOn = () => {}
  const all = new Promise<void>(resolve => {
    goOn = resolve
  })
  beforeRide(kind, async () => {
    arrived += 1
    if (arrived === count) goOn()
    await all
  })
}

/** Resolves when the order is locked; it is until `until`. */
function lockOrder(id: string, until: Promise<void>): Promise<void> {
  const scope = TenantScope.of(ours.id as OrganizationId)
  return new Promise((resolve, reject) => {
    server.node.database
      .tenant(scope, async tx => {
        await tx.query('select 1 from orders where organization_id = $1 and id = $2 for update', [id])
        resolve()
        await until
      })
      .catch(reject)
  })
}

describe('an order that rides with a batch', () => {
  it('shares its commits with the orders of other buyers', async () => {
    const at = await pricedHall({ seats: 20 })
    const made = await several(at, 8)
    const alone = exclusives()
    togetherAt('sell', made.length)
    const before = await batchesOf(at)
    const paid = await Promise.all(made.map(({ id, token }) => pay(id, token)))
    expect(paid.map(answer => answer.body.data.status)).toEqual(made.map(() => 'paid'))
    expect(alone).not.toHaveBeenCalled()
    // Each by itself would take two: here all sales are one.
    expect((await batchesOf(at)) - before).toBeLessThanOrEqual(9)
    for (const { id } of made) {
      const { status, tickets, payments } = await order(id)
      expect([status, tickets.length, payments[0].status]).toEqual(['paid', 2, 'captured'])
      const mails = await server.database.sql('select kind, recipient from mails where order_id = $1', [id])
      expect(mails).toEqual([{ kind: 'order_paid', recipient: 'ben@example.org' }])
      const audit = await send('GET', `/api/admin/audit?entity_id=${id}`, ours.tokens.admin)
      expect(audit.body.data).toMatchObject([{ action: 'order_sold', actor: 'system' }])
    }
  })

  it('is paid for once in two tabs, in one batch as well', async () => {
    const at = await pricedHall({ seats: 10 })
    const [mine, other] = await several(at, 2)
    const answers = await Promise.all([
      pay(mine!.id, mine!.token),
      pay(other!.id, other!.token),
      pay(mine!.id, mine!.token),
      pay(mine!.id, mine!.token),
    ])
    expect(answers.map(answer => answer.body.data.status)).toEqual(['paid', 'paid', 'paid', 'paid'])
    expect((await order(mine!.id)).tickets).toHaveLength(2)
  })

  it('steps aside when it was cancelled since it was read', async () => {
    const at = await pricedHall({ seats: 10 })
    const { id, token } = await twoSeats(at)
    beforeRide('start_payment', () => send('DELETE', `/api/checkouts/${id}`, token))
    expect((await pay(id, token)).body).toMatchObject({ status: 409, code: 'checkout_closed' })

    const late = await twoSeats(at, [2, 3])
    vi.restoreAllMocks()
    beforeRide('sell', () => send('DELETE', `/api/checkouts/${late.id}`, late.token))
    await pay(late.id, late.token)
    const { status, tickets, refunds } = await order(late.id)
    expect([status, tickets.length, refunds.length]).toEqual(['refunded', 0, 1])
  })

  it('steps aside when the buyer gave another address since it was read', async () => {
    const at = await pricedHall({ seats: 10 })
    const { id, token } = await twoSeats(at)
    const email = 'bea@example.org'
    beforeRide('sell', () =>
      server.database.sql('update orders set contact_email = $2, contact_email_key = $2 where id = $1', [
        id,
        email,
      ]),
    )
    expect((await pay(id, token)).body.data.status).toBe('paid')
    const mails = await server.database.sql('select recipient from mails where order_id = $1', [id])
    expect(mails).toEqual([{ recipient: email }])
  })

  it('steps aside when its places have changed since it was read: nothing is paid for that is not held', async () => {
    const at = await pricedHall()
    const token = await guest()
    const places = await send('POST', `${at.url}/holds`, token, { zone_id: at.zones[1], quantity: 3 })
    const holdId = places.body.data.holds[0].hold_id
    const opened = await open(at, token)
    const id = opened.body.data.checkout_id
    beforeRide('start_payment', () => send('PATCH', `/api/holds/${holdId}`, token, { quantity: 2 }))
    expect((await pay(id, token)).body).toMatchObject({ status: 409, code: 'hold_changed' })
    expect((await read(id, token)).status).toBe('open')
  })

  it('leaves late money to the ladder', async () => {
    const at = await pricedHall({ seats: 10 })
    const same = await twoSeats(at)
    beforeRide('sell', () =>
      send('POST', '/api/admin/seats/release', ours.tokens.organizer, { hold_ids: same.holds, force: true }),
    )
    expect((await pay(same.id, same.token)).body.data.status).toBe('paid')
    expect((await read(same.id, same.token)).late).toBe('same_places')
  })

  it('does not make the buyers of its batch wait while another transaction has it', async () => {
    const at = await pricedHall({ seats: 10 })
    const [mine, other] = await several(at, 2)
    let letGo = () => {}
    const untilLetGo = new Promise<void>(resolve => {
      letGo = resolve
    })
    const { exclusive } = Lane.prototype
    const alone = exclusives().mockImplementation(async function (this: Lane, work) {
      await untilLetGo
      return exclusive.call(this, work) as never
    })
    let locking: Promise<void> | null = null
    beforeRide('start_payment', async () => {
      // Until both have been read: then one of them is locked.
      locking ??= lockOrder(mine!.id, untilLetGo)
      await locking
    })
    const waiting = pay(mine!.id, mine!.token)
    expect((await pay(other!.id, other!.token)).body.data.status).toBe('paid')
    expect(alone).toHaveBeenCalledTimes(1)
    letGo()
    expect((await waiting).body.data.status).toBe('paid')
  })

  it('that can not be written fails alone', async () => {
    const at = await pricedHall({ seats: 20 })
    const made = await several(at, 4)
    const holder = await guest()
    togetherAt('sell', made.length)
    await server.database.sql(`create function refuse_line() returns trigger language plpgsql as
      $$ begin if new.order_id = '${made[1]!.id}' then raise exception 'no'; end if; return new; end $$`)
    await server.database.sql(
      'create trigger refuse_line before insert on order_lines for each row execute function refuse_line()',
    )
    try {
      const [paid, held] = await Promise.all([
        Promise.all(made.map(({ id, token }) => pay(id, token))),
        hold(at, holder, [18]),
      ])
      expect(paid.map(answer => answer.status)).toEqual([200, 500, 200, 200])
      expect(held).toHaveLength(1)
      expect((await read(made[1]!.id, made[1]!.token)).status).toBe('paying')
    } finally {
      await server.database.sql('drop function refuse_line() cascade')
    }
    // The money is there: the next look finds it.
    expect((await pay(made[1]!.id, made[1]!.token)).body.data.status).toBe('paid')
  })

  it('is looked up when the answer to its commit is lost', async () => {
    const at = await pricedHall({ seats: 10 })
    const { id, token } = await twoSeats(at)
    const { lanes } = server.node.database
    const { tenant } = lanes
    let lost = 0
    const withoutAnswer: Database['lanes']['tenant'] = async (of, work, options) => {
      const result = await tenant(of, work, options)
      if (!options?.holdsLedger || lost === 2) return result
      lost += 1
      throw new CommitUnknown()
    }
    vi.spyOn(lanes, 'tenant').mockImplementation(withoutAnswer)
    const alone = exclusives()
    expect((await pay(id, token)).body.data.status).toBe('paid')
    expect([lost, alone.mock.calls.length]).toEqual([2, 0])
    expect((await order(id)).tickets).toHaveLength(2)
  })
})
