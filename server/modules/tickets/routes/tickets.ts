import * as contract from '@voelgoed/contract/tickets'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { qrSvg } from '@voelgoed/kit/base/qr'
import { languagesOf } from '@voelgoed/kit/http/languages-of'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { chooseLanguage } from '../../mail/language.ts'
import type { Kit } from '../../module.ts'
import { findOrderToPrint } from '../../orders/find-order.ts'
import { writeOrderWords } from '../../orders/tables/order-words.ts'
import { readOrder } from '../../orders/tables/orders.ts'
import { calendarEntry } from '../calendar.ts'
import { readOrderFacts } from '../order-facts.ts'
import { findOrderOfTicket, nameAttendee, raiseTicketVersion } from '../tables/tickets.ts'
import type { TicketKeys } from '../ticket-keys.ts'
import { ticketPdf } from '../ticket-pdf.ts'
import type { TicketPdfs } from '../ticket-pdfs.ts'

interface Needs {
  readonly ticketKeys: TicketKeys
  readonly ticketPdfs: TicketPdfs
  onReissued(): void
}

/** Tickets as people have them in their hands. */
export function serveTickets(
  router: Router,
  { database, log, http: { pageUrl } }: Kit,
  { ticketKeys, ticketPdfs, onReissued }: Needs,
): void {
  router.serve(contract.readTicketCode, async ({ principal, params, query }) => {
    const { scope } = principal
    const found = await database.tenant(scope, async tx => {
      const orderId = await findOrderOfTicket(tx, params.ticket)
      return orderId === null ? null : findOrderToPrint(tx, orderId, principal, query.secret)
    })
    const line = found?.lines.find(one => one.ticket_id === params.ticket)
    if (!found || !line) return refuse({ kind: 'ticket_not_found' })
    if (line.refund_id !== null) return refuse({ kind: 'ticket_void', ticketIds: [line.ticket_id] })
    const { event_id: eventId } = found.order
    const token = await ticketKeys.sign(scope, { eventId, ticketId: line.ticket_id, version: line.version })
    return ok({ status: 200, bytes: Buffer.from(qrSvg(token)), headers: { 'content-type': 'image/svg+xml' } })
  })

  router.serve(contract.readTicketPdf, async ({ principal, params, query }) => {
    const { scope, user } = principal
    const facts = await database.tenant(scope, async tx => {
      const order = await findOrderToPrint(tx, params.order, principal, query.secret)
      return order && readOrderFacts(tx, order)
    })
    if (!facts) return refuse({ kind: 'order_not_found' })
    const made = await ticketPdf(
      scope,
      { ticketKeys, ticketPdfs },
      {
        facts,
        language: query.language ?? null,
        part: Number(query.part ?? 1),
        userId: user.userId,
      },
    )
    if (!made.ok) return made
    return ok({
      status: 200,
      bytes: made.value.bytes,
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `inline; filename="tickets-${facts.whole.order.number}.pdf"`,
        'voelgoed-parts': String(made.value.parts),
      },
    })
  })

  router.serve(contract.readOrderCalendar, async ({ principal, params, query, headers }) => {
    const facts = await database.tenant(principal.scope, async tx => {
      const order = await findOrderToPrint(tx, params.order, principal, query.secret)
      return order && readOrderFacts(tx, order)
    })
    if (!facts) return refuse({ kind: 'order_not_found' })
    const { slug, locale } = facts.organization
    const url = `${pageUrl()}/${slug}/orders/${params.order}`
    const language = chooseLanguage(languagesOf({ headers }), locale)
    const text = calendarEntry(facts, { url, language })
    if (text === null) return refuse({ kind: 'not_found' })
    return ok({
      status: 200,
      bytes: Buffer.from(text),
      headers: {
        'content-type': 'text/calendar; charset=utf-8',
        'content-disposition': `attachment; filename="${facts.whole.order.number}.ics"`,
      },
    })
  })

  router.serve(contract.reissueTicket, async call => {
    const { scope } = call.principal
    const { order: orderId, ticket } = call.params
    // The key is in memory before the transaction begins: a signature must not ask for a second connection.
    await ticketKeys.publicKeys(scope)
    const result = await inTenant(database, scope, call, async tx => {
      const found = await readOrder(tx, orderId)
      if (!found) return refuse({ kind: 'order_not_found' })
      const line = found.lines.find(one => one.ticket_id === ticket)
      if (!line) return refuse({ kind: 'ticket_not_found' })
      const ticketId = line.ticket_id
      const version = await raiseTicketVersion(tx, ticketId)
      if (version === null) return refuse({ kind: 'ticket_void', ticketIds: [ticketId] })
      const { reason } = call.body
      const attendee = call.body.attendee === undefined ? line.attendee : call.body.attendee
      if (attendee !== line.attendee) {
        await nameAttendee(tx, ticketId, attendee)
        const lines = found.lines.map(one => (one === line ? { ...one, attendee } : one))
        await writeOrderWords(tx, found.order, lines)
      }
      const { event_id: eventId, number } = found.order
      await appendAudit(tx, call.by, {
        action: 'ticket_reissued',
        entity: { type: 'ticket', id: ticketId },
        eventId,
        changes: { order_id: orderId, order_number: number, version, attendee, reason: reason ?? null },
      })
      const token = await ticketKeys.sign(scope, { eventId, ticketId, version })
      return ok({ status: 200, body: { data: { ticket_id: ticketId, version, attendee, token } } })
    })
    if (result.ok) {
      onReissued()
      log.info({ order_id: orderId, ticket_id: ticket, user_id: call.by.userId }, 'reissued a ticket')
    }
    return result
  })
}
