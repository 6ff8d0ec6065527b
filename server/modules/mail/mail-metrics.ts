import type { MetricMakers } from '@voelgoed/kit/metrics/metric-makers'
import { MAIL_OUTCOMES, type MailOutcome } from './mail-sender.ts'
import type { MailQueue } from './tables/mails.ts'

/** The outbox, and what became of its mails. */
export function createMailMetrics({ counter, gauge }: MetricMakers, queue: () => MailQueue) {
  const mails = counter(
    'voelgoed_mails_total',
    'Attempts to send a mail, by outcome: sent, refused for now, dead (given up), unknown (it may have gone out), kept without a mail server',
    ['outcome'],
  )
  gauge(
    'voelgoed_mails_queued',
    'Mails that wait to be sent, in the last look of this node; it counts up to 10,000',
    'max',
    () => queue().queued,
  )
  gauge(
    'voelgoed_mail_oldest_seconds',
    'For how long the oldest mail that waits has been due, in the last look of this node',
    'max',
    () => queue().oldestSeconds,
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0)
  return { ended: (outcome: MailOutcome, count: number) => mails.inc({ outcome }, count) }
}
