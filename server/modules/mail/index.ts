import { type Kit, type Module, sweepOf } from '../module.ts'
import type { Letters } from './letters.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { type Attach, MailSender, type MailSenderDeps } from './mail-sender.ts'
import { serveMails } from './routes/mails.ts'
import { sweepMails } from './tables/mails.ts'

interface Needs {
  readonly server: MailSenderDeps['server']
  readonly letters: Letters
  /** Sent along with the tickets of an order. */
  readonly attach: Attach
  readonly keepDays: number
}

/**
 * The outbox: a mail is queued in the transaction of the thing it tells of, and goes out at most once. Any
 * node may send it. Staff see what became of it, and send it again.
 */
export function openMail(
  kit: Kit,
  { keepDays, ...needs }: Needs,
): Module & { readonly mailSender: MailSender } {
  const { database, time, log, metrics } = kit
  const mailSender: MailSender = new MailSender({
    ...needs,
    database,
    publicUrl: kit.http.pageUrl,
    time,
    random: Math.random,
    log,
    onOutcome: createMailMetrics(metrics, () => mailSender.queue).ended,
  })
  return {
    name: 'mail',
    mailSender,
    jobs: [mailSender],
    routes: router => serveMails(router, kit, mailSender),
    sweeps: [sweepOf(database, 'mails', (tx, limit) => sweepMails(tx, keepDays, limit))],
  }
}
