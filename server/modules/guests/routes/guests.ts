import * as contract from '@voelgoed/contract/guests'
import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import type { ZoneState } from '@voelgoed/core/event/state'
import { hasGuests } from '@voelgoed/core/guests/guest-rule'
import type { EventId, UserId } from '@voelgoed/core/ids'
import type { Refusal, RequestFault } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { Kit } from '../../module.ts'
import type { GuestMetrics } from '../guest-metrics.ts'
import { type GivenGuest, nameGuests, zonesWithGuests } from '../guests-of-places.ts'
import {
  countOwnTickets,
  findHeldPlaces,
  findTicketPlace,
  type HeldPlaces,
  listGuests,
  type NamedGuest,
  type TicketPlace,
} from '../tables/place-guests.ts'

/** The people whom members bring. */
export function serveGuests(
  router: Router,
  { database }: Pick<Kit, 'database'>,
  { lanes, metrics }: { readonly lanes: Lanes; readonly metrics: GuestMetrics },
): void {
  router.serve(contract.readHoldGuests, async ({ principal, params }) => {
    const { scope, user } = principal
    const read = await database.tenant(scope, async tx => {
      const found = await findHeldPlaces(tx, params.hold)
      return found && { found, guests: await listGuests(tx, found.event_id, [found.hold_id]) }
    })
    const refusal = notMyHold(read?.found ?? null, user.userId)
    if (refusal) return refuse(refusal)
    const { found, guests } = read!
    return ok(holdGuestsAnswer(found, await zoneOf(scope, found), guests))
  })

  router.serve(contract.nameHoldGuests, async call => {
    const result = await nameHoldGuests(call)
    metrics.named(result.ok ? null : result.problem.kind)
    return result
  })

  async function nameHoldGuests(
    call: Call<typeof contract.nameHoldGuests>,
  ): Promise<Result<Answer, Refusal>> {
    const { scope, user } = call.principal
    const known = await database.tenant(scope, tx => findHeldPlaces(tx, call.params.hold))
    if (!known) return refuse({ kind: 'hold_not_found' })
    const zone = await zoneOf(scope, known)
    return inTenant(database, scope, call, async tx => {
      const found = await findHeldPlaces(tx, call.params.hold)
      const refusal = notMyHold(found, user.userId) ?? notNow(found!)
      if (refusal) return refuse(refusal)
      const wanted = readGuests(call.body.guests, found!.quantity)
      if (!wanted.ok) return wanted
      const named = await nameGuests(tx, found!, zone.settings.access, wanted.value)
      if (!named.ok) return named
      const guests = await listGuests(tx, found!.event_id, [found!.hold_id])
      await noteNaming(tx, call, { type: 'hold', id: found!.hold_id }, found!, wanted.value)
      return ok(holdGuestsAnswer(found!, zone, guests))
    })
  }

  router.serve(contract.readTicketGuest, async ({ principal, params }) => {
    const { scope, user } = principal
    const read = await database.tenant(scope, async tx => {
      const found = await findTicketPlace(tx, params.ticket)
      return found && { found, guests: await listGuests(tx, found.event_id, [found.hold_id]) }
    })
    if (read?.found.user_id !== user.userId) return refuse({ kind: 'ticket_not_found' })
    const { found, guests } = read
    return ok(ticketGuestAnswer(params.ticket, found, await zoneOf(scope, found), guests))
  })

  router.serve(contract.nameTicketGuest, async call => {
    const result = await nameTicketGuest(call)
    metrics.named(result.ok ? null : result.problem.kind)
    return result
  })

  async function nameTicketGuest(
    call: Call<typeof contract.nameTicketGuest>,
  ): Promise<Result<Answer, Refusal>> {
    const { scope, user } = call.principal
    const ticketId = call.params.ticket
    const known = await database.tenant(scope, tx => findTicketPlace(tx, ticketId))
    if (known?.user_id !== user.userId) return refuse({ kind: 'ticket_not_found' })
    const view = await viewOf(scope, known.event_id)
    const zone = view.state.zones[known.zone_index]!
    return inTenant(database, scope, call, async tx => {
      const found = (await findTicketPlace(tx, ticketId))!
      if (found.is_void) return refuse({ kind: 'invalid_transition', status: 'void', allowed: [] })
      const wanted = readGuests([call.body.guest], 1)
      if (!wanted.ok) return wanted
      const guest = wanted.value.get(0) ?? null
      const named = await nameGuests(tx, found, zone.settings.access, new Map([[found.place, guest]]))
      if (!named.ok) return named
      const guests = await listGuests(tx, found.event_id, [found.hold_id])
      if (!guests.some(({ place }) => place === found.place)) {
        const refusal = await notTheOnlyOwn(tx, view, found, ticketId)
        if (refusal) return refuse(refusal)
      }
      await noteNaming(tx, call, { type: 'ticket', id: ticketId }, found, wanted.value)
      return ok(ticketGuestAnswer(ticketId, found, zone, guests))
    })
  }

  async function zoneOf(
    scope: TenantScope,
    { event_id, zone_index }: { event_id: EventId; zone_index: number },
  ): Promise<ZoneState> {
    return (await viewOf(scope, event_id)).state.zones[zone_index]!
  }

  /** An event with holds or tickets was on sale, so there is one. */
  async function viewOf(scope: TenantScope, eventId: EventId): Promise<CommittedView> {
    return (await lanes.read(scope, eventId))!.view
  }
}

/** A ticket without a guest is the buyer's own place: they have one. */
async function notTheOnlyOwn(
  tx: TenantTx,
  { state }: CommittedView,
  { event_id: eventId, hold_id, user_id: userId }: TicketPlace,
  ticketId: string,
): Promise<Refusal | null> {
  const zoneIndexes = zonesWithGuests(state)
  const others = await countOwnTickets(tx, { eventId, userId, zoneIndexes, except: ticketId })
  return others > 0 ? { kind: 'guests_not_named', holdIds: [hold_id], missing: others } : null
}

function notMyHold(found: HeldPlaces | null, userId: UserId): Refusal | null {
  if (found?.user_id !== userId) return { kind: 'hold_not_found' }
  return found.status === 'held' && !found.is_alive ? { kind: 'hold_expired' } : null
}

/** Refuses changes while a checkout runs: what it has asked about the guests must stay true until it ends. */
function notNow({ status, checkout_id }: HeldPlaces): Refusal | null {
  if (status === 'sold') {
    const detail = 'The places are sold: name the guest of each ticket.'
    return { kind: 'invalid_transition', status: 'converted', allowed: [], detail }
  }
  return checkout_id === null ? null : { kind: 'hold_in_payment' }
}

type BodyGuest = { readonly email: string } | { readonly user_id: string } | null

/** By place, for every place there is. */
function readGuests(
  given: readonly BodyGuest[],
  quantity: number,
): Result<Map<number, GivenGuest | null>, Refusal> {
  const errors: RequestFault[] = []
  if (given.length > quantity) {
    errors.push({ path: '/guests', message: `must have at most ${quantity} guests, one for each place` })
  }
  const wanted = new Map<number, GivenGuest | null>()
  for (let place = 0; place < quantity; place += 1) {
    const guest = given[place] ?? null
    if (guest === null) wanted.set(place, null)
    else if ('user_id' in guest) wanted.set(place, { userId: guest.user_id.toLowerCase() })
    else {
      const email = normaliseEmail(guest.email)
      if (isEmail(email)) wanted.set(place, { email })
      else errors.push({ path: `/guests/${place}/email`, message: 'must be an e-mail address' })
    }
  }
  return errors.length > 0 ? refuse({ kind: 'invalid_request', errors }) : ok(wanted)
}

/** No address: the audit log outlives what it tells of. */
async function noteNaming(
  tx: TenantTx,
  call: Call,
  entity: { type: 'hold' | 'ticket'; id: string },
  { event_id }: { event_id: EventId },
  wanted: ReadonlyMap<number, GivenGuest | null>,
): Promise<void> {
  const named = [...wanted.values()].filter(guest => guest !== null).length
  await appendAudit(tx, call.by, {
    action: 'guests_named',
    entity,
    eventId: event_id,
    changes: { named },
  })
}

function holdGuestsAnswer(found: HeldPlaces, zone: ZoneState, guests: readonly NamedGuest[]) {
  const { hold_id, event_id, quantity } = found
  const places = Array.from({ length: quantity }, (_, place) => guestAnswer(guests, place))
  return { status: 200, body: { data: { hold_id, event_id, ...zoneAnswer(zone), guests: places } } }
}

function ticketGuestAnswer(
  ticket_id: string,
  { event_id, place }: TicketPlace,
  zone: ZoneState,
  guests: readonly NamedGuest[],
) {
  const guest = guestAnswer(guests, place)
  return { status: 200, body: { data: { ticket_id, event_id, ...zoneAnswer(zone), guest } } }
}

function zoneAnswer({ settings }: ZoneState) {
  return { zone_id: settings.zoneId, asks_for_guests: hasGuests(settings.access) }
}

/** As the buyer named them: who gave an id learns no address. */
function guestAnswer(guests: readonly NamedGuest[], place: number) {
  const guest = guests.find(each => each.place === place)
  if (!guest) return null
  return guest.userId === null ? { email: guest.email } : { user_id: guest.userId }
}
