import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { type Delivery, nameOf, type SmtpFailure } from './judge-failure.ts'
import type { MailLanguage } from './language.ts'
import { type Letters, readFacts } from './letters.ts'
import { type Attachment, type MailFrom, writeMessage } from './message.ts'
import { type MailServer, SMTP_LIMITS, type SmtpLimits, SmtpSession } from './smtp-session.ts'
import {
  endLeases,
  keepMails,
  type LeasedMail,
  leaseMail,
  type MailQueue,
  noteMail,
  readMail,
  readMailQueue,
} from './tables/mails.ts'

const LOOK_EVERY_MS = 5_000
/** Connections to the mail server that this process has open at once. Each sends one mail after another. */
const CONNECTIONS = 3
/** One look takes at most so many of each connection; the rest waits for the next. */
const MAX_OF_CONNECTION = 200
const BATCH = 500
const MAX_COUNTED = 10_000
/** A send has time limits of its own: a node that is not done by then is gone. */
const LEASE_MS = 5 * 60_000
/** Then a mail that the server refuses for now is given up: some 14 hours after its first attempt. */
const MAX_ATTEMPTS = 16
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 2 * 3_600_000
/** For a mail that is being sent while the node stops. */
const LAST_MAIL_MS = 10_000

/** The lowest of all ids. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export const MAIL_OUTCOMES = ['sent', 'refused', 'dead', 'unknown', 'kept'] as const
export type MailOutcome = (typeof MAIL_OUTCOMES)[number]

export interface MailSenderDeps {
  readonly database: Database
  /** Null: none is configured, and mails are kept. */
  readonly server: { readonly smtp: MailServer; readonly from: MailFrom } | null
  readonly publicUrl: () => string
  readonly letters: Letters
  /** Makes the files that go along with the tickets of an order. */
  readonly attach?: Attach
  readonly time: Pick<Time, 'now' | 'after'>
  readonly random: () => number
  readonly log: FastifyBaseLogger
  readonly onOutcome: (outcome: MailOutcome, count: number) => void
  readonly limits?: SmtpLimits
}

/** Null: it can not be made at the moment. */
export type Attach = (
  scope: TenantScope,
  orderId: string,
  language: MailLanguage,
) => Promise<readonly Attachment[] | null>

/** After so many attempts tickets go out without attachments: the link in the mail opens them. */
const ATTEMPTS_WITH_ATTACHMENTS = 3

/**
 * Sends what is in the outbox. Any number of nodes may do this at once. Each mail goes out at most once: it
 * is tried again only when it surely was not taken, and what may have gone out is shown to staff, who can ask
 * the reader and send it again.
 */
export class MailSender implements Job {
  readonly name = 'mails'
  readonly on = 'machine'
  readonly #deps: MailSenderDeps
  readonly #repeat: Repeat
  readonly #sessions = new Set<SmtpSession>()
  #queue: MailQueue = { queued: 0, oldestSeconds: 0 }
  /** The organizations whose turn was last: for mails that people wait for, and for all. */
  readonly #turns = { urgent: BEFORE_ALL, any: BEFORE_ALL }

  constructor(deps: MailSenderDeps) {
    this.#deps = deps
    this.#repeat = new Repeat({
      everyMs: LOOK_EVERY_MS,
      run: async () => void (await this.look()),
      onFailure: error => deps.log.warn({ err: error }, 'mails could not be sent; the next look tries again'),
      time: deps.time,
    })
  }

  /** As the last look left it. */
  get queue(): MailQueue {
    return this.#queue
  }

  start(): void {
    this.#repeat.start()
  }

  async stop(): Promise<void> {
    const callOff = this.#deps.time.after(LAST_MAIL_MS, () => {
      for (const session of this.#sessions) session.close()
    })
    await this.#repeat.stop()
    callOff()
  }

  /** False: mails are kept. */
  get canSend(): boolean {
    return this.#deps.server !== null
  }

  async look(): Promise<void> {
    const { database, server } = this.#deps
    await this.#endLeases()
    if (server) await Promise.all(Array.from({ length: CONNECTIONS }, () => this.#send(server)))
    else await this.#keep()
    this.#queue = await database.platform('send mails', tx => readMailQueue(tx, MAX_COUNTED))
  }

  async #endLeases(): Promise<void> {
    const { database, log, onOutcome } = this.#deps
    const ended = await database.platform('send mails', tx => endLeases(tx, BATCH))
    for (const { organizationId, id } of ended) {
      log.warn(
        { organization_id: organizationId, mail_id: id },
        'a node is gone that was sending a mail; it may have gone out, and staff can send it again',
      )
    }
    if (ended.length > 0) onOutcome('unknown', ended.length)
  }

  async #keep(): Promise<void> {
    const { database, log, onOutcome } = this.#deps
    const kept = await database.platform('send mails', tx => keepMails(tx, BATCH))
    if (kept === 0) return
    log.info({ kept }, 'kept mails: no mail server is configured')
    onOutcome('kept', kept)
  }

  /** One connection, one mail after another, until none is due or the server can not be reached. */
  async #send(server: NonNullable<MailSenderDeps['server']>): Promise<void> {
    const { limits = SMTP_LIMITS, time } = this.#deps
    let session: SmtpSession | null = null
    try {
      for (let count = 0; count < MAX_OF_CONNECTION && !this.#repeat.isStopped; count += 1) {
        const mail = (await this.#lease('urgent')) ?? (await this.#lease('any'))
        if (!mail) return
        const message = await this.#prepare(mail, server.from)
        if ('outcome' in message) {
          await this.#note(mail, message)
          continue
        }
        if (!session?.isUsable) {
          if (session) this.#sessions.delete(session)
          const opened: SmtpSession | SmtpFailure = await SmtpSession.open(server.smtp, limits, time).catch(
            (error: SmtpFailure) => error,
          )
          if (!(opened instanceof SmtpSession)) {
            await this.#note(mail, { outcome: 'refused', isFinal: false, error: nameOf(opened) })
            return
          }
          session = opened
          this.#sessions.add(session)
        }
        const envelope = { from: server.from.address, to: message.recipient }
        await this.#note(mail, await session.send(envelope, message.bytes))
      }
    } finally {
      if (session) {
        this.#sessions.delete(session)
        session.quit()
      }
    }
  }

  /** A mail of the organization whose turn it is. */
  async #lease(which: 'urgent' | 'any'): Promise<LeasedMail | null> {
    const { database } = this.#deps
    for (const after of new Set([this.#turns[which], BEFORE_ALL])) {
      const turn = { after, isUrgent: which === 'urgent' }
      const mail = await database.platform('send mails', tx => leaseMail(tx, LEASE_MS, turn))
      if (!mail) continue
      this.#turns[which] = mail.organizationId
      return mail
    }
    return null
  }

  /** A failure here has not touched the mail server. */
  async #prepare(
    leased: LeasedMail,
    from: MailFrom,
  ): Promise<{ readonly recipient: string; readonly bytes: Buffer } | Delivery> {
    const { database, letters, publicUrl, log } = this.#deps
    try {
      const { mail, facts } = await database.tenant(TenantScope.of(leased.organizationId), async tx => {
        const mail = (await readMail(tx, leased.id))!
        return { mail, facts: await readFacts(tx, mail, { letters, publicUrl: publicUrl() }) }
      })
      if (typeof facts === 'string') return { outcome: 'refused', isFinal: true, error: facts }
      const { kind } = facts.letter
      const isTickets = kind === 'order_paid' || kind === 'order_moved'
      const attachments = isTickets ? await this.#attachmentsOf(leased, mail.order_id!, facts.language) : []
      if (attachments === null) {
        return { outcome: 'refused', isFinal: false, error: 'no attachments yet' }
      }
      return { recipient: mail.recipient, bytes: await writeMessage(mail, facts, from, attachments) }
    } catch (error) {
      log.error({ err: error, mail_id: leased.id }, 'a mail could not be written')
      return { outcome: 'refused', isFinal: false, error: 'could not be written' }
    }
  }

  async #attachmentsOf(
    { organizationId, attempts }: LeasedMail,
    orderId: string,
    language: MailLanguage,
  ): Promise<readonly Attachment[] | null> {
    const { attach, log } = this.#deps
    if (!attach) return []
    const made = await attach(TenantScope.of(organizationId), orderId, language).catch(error => {
      log.error({ err: error, order_id: orderId }, 'the attachments of a mail could not be made')
      return null
    })
    return made ?? (attempts > ATTEMPTS_WITH_ATTACHMENTS ? [] : null)
  }

  async #note(leased: LeasedMail, delivery: Delivery): Promise<void> {
    const { database, log, random, onOutcome } = this.#deps
    const { organizationId, id, attempts } = leased
    const outcome = outcomeOf(delivery, attempts)
    const error = 'error' in delivery ? delivery.error : ''
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2)
    const note =
      outcome === 'sent'
        ? ({ status: outcome } as const)
        : outcome === 'refused'
          ? ({ status: 'queued', error, inMs: pause } as const)
          : ({ status: outcome, error } as const)
    onOutcome(outcome, 1)
    const line = { organization_id: organizationId, mail_id: id, attempts, ...(error && { error }) }
    if (outcome === 'sent') log.info(line, 'sent a mail')
    else log.warn(line, SAID[outcome])
    await database.tenant(TenantScope.of(organizationId), tx => noteMail(tx, leased, note))
  }
}

const SAID = {
  refused: 'the mail server did not take a mail; it is tried again',
  dead: 'a mail was given up; staff can send it again',
  unknown: 'a mail may have gone out, and staff can send it again: the mail server did not say',
} as const

function outcomeOf(delivery: Delivery, attempts: number): Exclude<MailOutcome, 'kept'> {
  if (delivery.outcome !== 'refused') return delivery.outcome
  return delivery.isFinal || attempts >= MAX_ATTEMPTS ? 'dead' : 'refused'
}
