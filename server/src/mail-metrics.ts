import { MAIL_OUTCOMES, type MailOutcome } from './mail/mail-sender.ts'
import type { MetricMakers } from './metric-makers.ts'
import type { MailQueue } from './postgres/tables/mails.ts'

export interface MailSources {
  mailQueue(): MailQueue
}

/** The outbox, and what became of its mails. */
export function createMailMetrics({ counter, gauge }: MetricMakers, sources: MailSources) {
  const mails = counter(
    'voelgoed_mails_total',
    'Attempts to send a mail, by outcome: sent, refused for now, dead (given up), unknown (it may have gone out), kept without a mail server',
    ['outcome'],
  )
  gauge(
    'voelgoed_mails_queued',
    'Mails that wait to be sent, in the last look of this node; it counts up to 10,000',
    'max',
    () => sources.mailQueue().queued,
  )
  gauge(
    'voelgoed_mail_oldest_seconds',
    'For how long the oldest mail that waits has been due, in the last look of this node',
    'max',
    () => sources.mailQueue().oldestSeconds,
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0)
  return { ended: (outcome: MailOutcome, count: number) => mails.inc({ outcome }, count) }
}
