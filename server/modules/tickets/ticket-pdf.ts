import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { LineRow } from '../orders/tables/orders.ts'
import type { TicketSheets } from './make-pdf.ts'
import type { OrderFacts } from './order-facts.ts'
import type { TicketKeys } from './ticket-keys.ts'
import { TICKETS_PER_PDF, type TicketPdfs } from './ticket-pdfs.ts'
import { type TicketLanguage, ticketLanguage } from './ticket-words.ts'

export interface TicketPdf {
  readonly bytes: Buffer
  /** Documents that all valid tickets of the order fill. */
  readonly parts: number
}

interface WantedPdf {
  readonly facts: OrderFacts
  /** Null: that of the organization. */
  readonly language: TicketLanguage | null
  /** From 1. */
  readonly part: number
  /** This person waits for it. */
  readonly userId: string
}

/** The valid tickets of an order to print, one a page. */
export async function ticketPdf(
  scope: TenantScope,
  { ticketKeys, ticketPdfs }: { readonly ticketKeys: TicketKeys; readonly ticketPdfs: TicketPdfs },
  wanted: WantedPdf,
): Promise<Result<TicketPdf, Refusal>> {
  const { facts, part } = wanted
  const valid = facts.whole.lines.filter(line => line.refund_id === null)
  const parts = Math.ceil(valid.length / TICKETS_PER_PDF)
  if (part > parts) return refuse({ kind: 'ticket_not_found' })
  const from = (part - 1) * TICKETS_PER_PDF
  const lines = valid.slice(from, from + TICKETS_PER_PDF)
  const tokens = await ticketKeys.signOrder(scope, { ...facts.whole, lines })
  const sheets: TicketSheets = {
    ...headOf(facts, wanted.language),
    total: valid.length,
    tickets: lines.map((line, index) => ({
      number: from + index + 1,
      ticketId: line.ticket_id,
      token: tokens.get(line.ticket_id)!,
      ...placeOf(line, facts),
    })),
  }
  const made = await ticketPdfs.make(sheets, {
    organizationId: scope.organizationId,
    userId: wanted.userId,
  })
  return made.ok ? ok({ bytes: made.value, parts }) : made
}

function headOf({ whole, event, venue, organization }: OrderFacts, language: TicketLanguage | null) {
  return {
    language: language ?? ticketLanguage(organization.locale),
    organization: organization.name,
    event: {
      name: event.name,
      venue: venue.name,
      address: venue.address,
      timeZone: event.timeZone,
      startsAt: event.startsAt?.toISOString() ?? null,
      endsAt: event.endsAt?.toISOString() ?? null,
      days: event.days,
    },
    orderNumber: whole.order.number,
  }
}

function placeOf({ zone_name, row, seat_number, ticket_type, attendee }: LineRow, { typeNames }: OrderFacts) {
  return {
    zone: zone_name,
    row,
    seat: seat_number === null ? null : String(seat_number),
    type: ticket_type === null ? null : (typeNames.get(ticket_type) ?? ticket_type),
    attendee,
  }
}
