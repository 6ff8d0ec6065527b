import * as contract from '@voelgoed/contract/event-setup'
import { readinessOf } from '@voelgoed/core/event/readiness'
import type { EventId } from '@voelgoed/core/ids'
import { pricesWarnings, unpricedPlaces } from '@voelgoed/core/prices/unpriced'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { isBadRow } from '@voelgoed/kit/postgres/violations'
import { placeImage } from '../../images/tables/images.ts'
import type { Kit } from '../../module.ts'
import type { Gateway, GatewayName } from '../../payments/gateway.ts'
import { readOrganization } from '../../people/tables/organizations.ts'
import { notNow } from '../change-an-event.ts'
import { checkEvent, checkSellable } from '../check-event.ts'
import { copyEvent } from '../copy-event.ts'
import { deleteEvent, type Event, findEvent, lastStart, lockEvent } from '../tables/events.ts'
import { readPolicy } from '../tables/policies.ts'
import { readPrices } from '../tables/prices.ts'
import { adminEventAnswer, NO_BLOCKS } from './event-administration.ts'
import { readPlaces } from './prices.ts'

export interface EventSetupNeeds {
  readonly gateway: Gateway
  readonly takesMoney: GatewayName | null
  readonly mails: { readonly canSend: boolean }
  /** Guests, who are above events, keep the whitelist. Resolves with the number of its people. */
  copyWhitelist(tx: TenantTx, of: { from: EventId; to: EventId; by: string }): Promise<number>
}

/** Organizers ask if an event is ready, make another one like it, and throw a draft away. */
export function serveEventSetup(
  router: Router,
  { database, clock }: Pick<Kit, 'database' | 'clock'>,
  needs: EventSetupNeeds,
): void {
  router.serve(contract.readReadiness, async ({ principal, params }) => {
    const now = clock.now()
    const checks = await database.tenant(principal.scope, async tx => {
      const event = await findEvent(tx, params.event)
      return event && (await readChecks(tx, event, now))
    })
    if (!checks) return refuse({ kind: 'event_not_found' })
    const data = { checked_at: new Date(now).toISOString(), checks }
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.copyEvent, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const { name, starts_at, whitelist = false } = call.body
      const event = await findEvent(tx, call.params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      const id = uuidV7(clock.now()) as EventId
      const startsAt = starts_at === null ? null : new Date(starts_at)
      const copied = await copyEvent(tx, event, { id, name, startsAt })
      if (!copied.ok) return copied
      if (event.image) {
        const place = { kind: 'event', eventId: id } as const
        await placeImage(tx, place, { id: uuidV7(clock.now()), imageId: event.image.id })
      }
      const by = call.principal.user.userId
      const people = whitelist ? await needs.copyWhitelist(tx, { from: event.id, to: id, by }) : 0
      await appendAudit(tx, call.by, {
        action: 'event_copied',
        entity: { type: 'event', id },
        changes: { from: event.id, name, starts_at, ...(people > 0 && { whitelist: people }) },
      })
      const made = (await findEvent(tx, id))!
      return ok({ status: 201, body: { data: adminEventAnswer(made, await readPolicy(tx), NO_BLOCKS) } })
    }),
  )

  router.serve(contract.deleteDraft, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const event = await lockEvent(tx, call.params.event)
      if (!event) return refuse({ kind: 'event_not_found' })
      if (event.status !== 'draft') return refuse(notNow(event))
      if (event.wasOnSale) {
        const detail = 'It was on sale: its journal stays. Cancel and archive it instead.'
        return refuse({ ...notNow(event), detail })
      }
      await appendAudit(tx, call.by, {
        action: 'event_deleted',
        entity: { type: 'event', id: event.id },
        changes: { name: event.name, starts_at: event.startsAt?.toISOString() ?? null },
      })
      try {
        await deleteEvent(tx, event.id)
      } catch (error) {
        if (!isBadRow(error)) throw error
        // A row that refers to it belongs to more than the draft alone.
        return refuse({ ...notNow(event), detail: 'Something else still needs it. Cancel it instead.' })
      }
      return ok({ status: 204, body: undefined })
    }),
  )

  async function readChecks(tx: TenantTx, event: Event, now: number): Promise<object[]> {
    const organization = await readOrganization(tx)
    const prices = await readPrices(tx, event.id)
    const { event: toPrice, zones } = await readPlaces(tx, event)
    const list = prices?.list ?? null
    const step = list ? needs.gateway.amountStep(list.currency) : 1
    const fault = pricesWarnings(list, zones, toPrice, step).find(({ code }) => !code.endsWith('not_priced'))
    const points = readinessOf({
      now,
      startsAt: time(event.startsAt),
      lastStart: lastStart(event),
      endsAt: time(event.endsAt) ?? lastEndOf(event),
      saleStart: time(event.saleStart),
      saleEnd: time(event.saleEnd),
      places: zones.reduce((sum, zone) => sum + (zone.disabled ? 0 : zone.capacity), 0),
      prices: {
        isThere: list !== null && list.categories.length > 0,
        unpriced: unpricedPlaces(list, zones),
        fault: fault?.message ?? null,
      },
      gateway: needs.takesMoney,
      sendsMails: needs.mails.canSend,
      contact: organization.support_email,
      timeZone: event.timeZone,
      layoutFault: event.status === 'draft' ? await layoutFault(tx, event) : null,
    })
    return points.map(({ at, ...point }) => ({
      ...point,
      at: at === null ? null : new Date(at).toISOString(),
    }))
  }
}

function lastEndOf({ days }: Event): number | null {
  const end = days.at(-1)?.ends_at ?? null
  return end === null ? null : Date.parse(end)
}

/** The words of the refusal that publishing would meet. */
async function layoutFault(tx: TenantTx, event: Event): Promise<string | null> {
  const policy = await readPolicy(tx)
  const refusal = (await checkEvent(tx, event)) ?? (await checkSellable(tx, event, policy))
  return refusal && wordsOf(refusal)
}

function wordsOf(refusal: Refusal): string {
  if ('errors' in refusal) return refusal.errors.map(({ message }) => message).join(' ')
  return ('detail' in refusal && refusal.detail) || refusal.kind.replaceAll('_', ' ')
}

function time(date: Date | null): number | null {
  return date === null ? null : date.getTime()
}
