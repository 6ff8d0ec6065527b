import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { holdsOfUser } from '@voelgoed/engine/tables/holds'
import { type AuditActor, appendAudit, forgetPerson } from '@voelgoed/kit/audit/audit-log'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import { announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { eraseGuestsOf } from '../guests/tables/guests-of-person.ts'
import { deleteMailsOf } from '../mail/tables/mails-of-person.ts'
import {
  countTicketsToCome,
  eraseContactsOf,
  listOpenOrdersOf,
  ticketsOfOrders,
} from '../orders/tables/orders-of-person.ts'
import { eraseUser } from '../people/tables/personal-data.ts'
import type { ManagedUser } from '../people/tables/users.ts'
import { deleteSessionsOf } from '../sign-in/tables/sessions.ts'
import { eraseWaysIn } from '../sign-in/tables/ways-in.ts'
import { personToFind } from './person.ts'

export interface Erased {
  readonly orders: number
  readonly ticketsToCome: number
  readonly mails: number
  readonly sessionsEnded: number
  /** They are released after the commit. */
  readonly holds: ReadonlyMap<EventId, readonly HoldId[]>
}

/**
 * Erases a person who is locked. Their row was locked first: no order, which refers to it, begins meanwhile.
 * What tax law keeps stays under an id that names no person; the journal, which is never written again, knows
 * that id alone, and the network addresses of holds.
 */
export async function erasePerson(
  tx: TenantTx,
  by: AuditActor,
  user: ManagedUser,
  { ticketsStay }: { readonly ticketsStay: boolean },
): Promise<Result<Erased, Refusal>> {
  const { userId, email } = user
  const person = personToFind(user)
  const orderIds = await listOpenOrdersOf(tx, person)
  if (orderIds.length > 0) return refuse({ kind: 'open_payment', orderIds })
  const ticketsToCome = await countTicketsToCome(tx, person)
  if (ticketsToCome > 0 && !ticketsStay) return refuse({ kind: 'tickets_to_come', tickets: ticketsToCome })

  const orders = await eraseContactsOf(tx, person)
  const mails = await deleteMailsOf(tx, userId, orders)
  const { guests, whitelists } = await eraseGuestsOf(tx, person)
  const sessionsEnded = await deleteSessionsOf(tx, userId)
  await eraseWaysIn(tx, userId, email === null ? null : hashSecret(email))
  await eraseUser(tx, userId)
  await forgetPerson(tx, userId, await ticketsOfOrders(tx, orders))
  await announceUserChanged(tx, userId)
  const isSelf = by.userId === userId
  await appendAudit(tx, isSelf ? { ...by, ip: null, userAgent: null } : by, {
    action: 'person_erased',
    entity: { type: 'user', id: userId },
    changes: {
      by: isSelf ? 'self' : 'staff',
      role: user.role,
      orders: orders.length,
      tickets_to_come: ticketsToCome,
      mails,
      guests,
      whitelists,
      sessions_ended: sessionsEnded,
    },
  })
  // Read here: after the commit no failure may hide that the person was erased.
  const holds = await holdsOfUser(tx, userId)
  return ok({ orders: orders.length, ticketsToCome, mails, sessionsEnded, holds })
}
