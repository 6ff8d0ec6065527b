import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import type { Attach } from '../mail/mail-sender.ts'
import type { Attachment } from '../mail/message.ts'
import { readOrder } from '../orders/tables/orders.ts'
import { calendarEntry } from './calendar.ts'
import { readOrderFacts } from './order-facts.ts'
import type { TicketKeys } from './ticket-keys.ts'
import { ticketPdf } from './ticket-pdf.ts'
import type { TicketPdfs } from './ticket-pdfs.ts'

interface AttachDeps {
  readonly database: TenantDoor
  readonly ticketKeys: TicketKeys
  readonly ticketPdfs: TicketPdfs
  /** Browsers reach the pages there; without a slash at the end. */
  readonly pageUrl: () => string
}

/** Mailboxes refuse large mails: an order of more tickets is opened by the link alone. */
const MAX_DOCUMENTS = 4

/** The tickets of an order to print, and its entry for a calendar. */
export function attachTickets(deps: AttachDeps): Attach {
  return async (scope, orderId, language) => {
    const facts = await deps.database.tenant(scope, async tx => {
      const whole = await readOrder(tx, orderId)
      return whole && readOrderFacts(tx, whole)
    })
    if (!facts) return []
    const { number, user_id: userId } = facts.whole.order
    const documents: Attachment[] = []
    for (let part = 1, parts = 1; part <= parts; part += 1) {
      const made = await ticketPdf(scope, deps, { facts, language, part, userId })
      if (!made.ok) return null
      parts = made.value.parts
      if (parts > MAX_DOCUMENTS) break
      const filename = parts === 1 ? `tickets-${number}.pdf` : `tickets-${number}-${part}.pdf`
      documents.push({ filename, contentType: 'application/pdf', content: made.value.bytes })
    }
    // Without the secret of the mail's link: a calendar may be shared.
    const url = `${deps.pageUrl()}/${facts.organization.slug}/orders/${orderId}`
    const entry = calendarEntry(facts, { url, language })
    if (entry === null) return documents
    const contentType = 'text/calendar; charset=utf-8'
    return [...documents, { filename: `${number}.ics`, contentType, content: Buffer.from(entry) }]
  }
}
