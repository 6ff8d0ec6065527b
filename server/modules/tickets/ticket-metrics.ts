import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import type { PdfOutcome } from './ticket-pdfs.ts'

const OUTCOMES = ['made', 'refused', 'failed'] as const

/** Tickets on paper. */
export function createTicketMetrics({ counter, histogram }: MetricMakers) {
  const pdfs = counter(
    'voelgoed_ticket_pdfs_total',
    'Documents of tickets, by outcome: made, refused because too many wait or it took too long, failed',
    ['outcome'],
  )
  const seconds = histogram(
    'voelgoed_ticket_pdf_seconds',
    'Time to make a document of tickets, its waiting for the thread included',
    [],
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  )
  const reissued = counter('voelgoed_tickets_reissued_total', 'Tickets that staff issued again', [])
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of OUTCOMES) pdfs.inc({ outcome }, 0)

  return {
    pdf(outcome: PdfOutcome, ms: number): void {
      pdfs.inc({ outcome })
      if (outcome === 'made') seconds.observe(ms / 1000)
    },
    reissued: () => reissued.inc(),
  }
}

/** The registry reads it at each scrape. */
export function showPendingPdfs({ gauge }: MetricMakers, pending: () => number): void {
  gauge('voelgoed_ticket_pdfs_pending', 'Documents of tickets that are drawn or wait for it', 'sum', pending)
}
