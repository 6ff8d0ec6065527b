import type { Kit, Module } from '../module.ts'
import { serveTicketKeys } from './routes/ticket-keys.ts'
import { serveTickets } from './routes/tickets.ts'
import { attachTickets } from './ticket-attachments.ts'
import { TicketKeys } from './ticket-keys.ts'
import { createTicketMetrics, showPendingPdfs } from './ticket-metrics.ts'
import { TicketPdfs } from './ticket-pdfs.ts'

interface Tickets extends Module {
  readonly ticketKeys: TicketKeys
  /** Counts a ticket that staff have issued again. */
  onReissued(): void
  /** The documents of an order, for its mail. */
  readonly attach: ReturnType<typeof attachTickets>
}

/**
 * Tickets as people have them in their hands: a signed text in a QR code, a PDF that a thread draws, an entry
 * for a calendar. Each organization has keys of its own, which `signingKey` seals.
 */
export function openTickets(kit: Kit, { signingKey }: { readonly signingKey: Buffer }): Tickets {
  const { database, clock, log } = kit
  const { pageUrl } = kit.http
  const metrics = createTicketMetrics(kit.metrics)
  const ticketKeys = new TicketKeys({ database, signingKey, clock })
  const ticketPdfs = new TicketPdfs({ log, onMade: metrics.pdf, clock })
  showPendingPdfs(kit.metrics, () => ticketPdfs.pending)
  return {
    name: 'tickets',
    ticketKeys,
    onReissued: metrics.reissued,
    attach: attachTickets({ database, ticketKeys, ticketPdfs, pageUrl }),
    routes(router) {
      serveTicketKeys(router, kit, ticketKeys)
      serveTickets(router, kit, { ticketKeys, ticketPdfs, onReissued: metrics.reissued })
    },
    hears(announcement) {
      if (announcement.kind === 'ticket_keys_changed') ticketKeys.forget(announcement.organizationId)
    },
    close: () => ticketPdfs.close(),
  }
}
