import { randomUUID } from 'node:crypto'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime } from '@voelgoed/kit/base/time'
import { openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { HandTime } from '@voelgoed/testing/hand-time'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { TestSmtp } from '@voelgoed/testing/test-smtp'
import { useServer } from '@voelgoed/testing/use-server'
import { WITHIN_MS, waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import PostalMime from 'postal-mime'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderLetters } from '../orders/order-letters.ts'
import { accountLetters } from '../sign-in/account-letters.ts'
import { attachTickets } from '../tickets/ticket-attachments.ts'
import { TicketPdfs } from '../tickets/ticket-pdfs.ts'
import { MailSender, type MailSenderDeps } from './mail-sender.ts'
import { queueMail } from './outbox.ts'
import { type SmtpLimits, SmtpSession } from './smtp-session.ts'
import { leaseMail } from './tables/mails.ts'

const smtp = await TestSmtp.start()
const { server, ours, send, organize } = useServer({
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'tickets@example.org',
  PUBLIC_URL: 'https://tickets.example.org',
})
beforeAll(async () => {
  await server.node.mailSender.stop()
})
afterAll(() => smtp.close())

const SERVER = () => ({
  host: '127.0.0.1',
  port: smtp.port,
  secure: false,
  requireTls: false,
  verifyCertificate: true,
  auth: null,
})

/** A mail server that is slow because this machine is: no mail is put off for that. */
const PATIENT_LIMITS: SmtpLimits = { connectMs: WITHIN_MS, idleMs: WITHIN_MS, sendMs: WITHIN_MS }

interface Mail {
  readonly mail_id: string
  readonly status: string
  readonly attempts: number
  readonly last_error: string | null
}

const mailOf = async (id: string): Promise<Mail> => {
  const listed = await send('GET', '/api/admin/mails?limit=200', ours.tokens.support)
  expect(listed.status, listed.text).toBe(200)
  return listed.body.data.find((mail: Mail) => mail.mail_id === id)
}

/** Mails that were queued are sent now: the node itself does not look. */
async function look(): Promise<void> {
  await sender({}).look()
}

/** Makes a mail due now that was put off. */
async function tryAgain(id: string): Promise<Mail> {
  await server.database.sql(`update mails set due_at = now() where id = $1 and status = 'queued'`, [id])
  await look()
  return mailOf(id)
}

const scope = () => TenantScope.of(ours.id as never)
const customerId = async () =>
  (await send('GET', '/api/session', ours.tokens.customer)).body.data.user.id as string

/** The shortest mail there is. */
async function queue(to: string, key = randomUUID()): Promise<string | null> {
  const userId = await customerId()
  return server.node.database.tenant(scope(), tx =>
    queueMail(tx, { kind: 'password_changed', to, locale: 'en', key, data: { userId } }),
  )
}
const TURN = { after: '00000000-0000-0000-0000-000000000000', isUrgent: false }
const address = () => `${randomUUID().slice(0, 8)}@example.org`

async function sellTo(email: string, token = ours.tokens.customer) {
  const hall = await openHall(
    (method, url, options) => server.request(method, url, options),
    ours.tokens.organizer,
    {
      event: {
        seating_overrides: UNLIMITED,
        starts_at: '2027-03-01T17:30:00Z',
        sale_end: '2099-01-01T00:00:00Z',
      },
    },
  )
  const body = { seat_ids: [hall.seats[0], hall.seats[1]] }
  const held = await send('POST', `${hall.url}/holds`, token, body)
  const hold_ids = held.body.data.holds.map((hold: { hold_id: string }) => hold.hold_id)
  const sold = await organize('POST', '/api/admin/orders', {
    event_id: hall.eventId,
    method: 'external',
    hold_ids,
    contact: { name: 'Ann <b>', email },
    currency: 'ZAR',
    lines: hold_ids.map((hold_id: string) => ({ hold_id, amount: 45_000 })),
  })
  expect(sold.status, sold.text).toBe(201)
  return sold.body.data as { order_id: string; order_number: string }
}
const secretOf = (text: string) => /#secret=([\w-]+)/.exec(text)![1]!

function sender(deps: Partial<MailSenderDeps>): MailSender {
  return new MailSender({
    database: server.node.database,
    server: {
      smtp: SERVER(),
      from: { name: null, address: 'tickets@example.org' },
    },
    publicUrl: () => 'https://tickets.example.org',
    letters: { ...accountLetters, ...orderLetters },
    time: processTime,
    random: Math.random,
    log: pino({ level: 'silent' }),
    onOutcome: () => {},
    limits: PATIENT_LIMITS,
    ...deps,
  })
}

describe('an order', () => {
  it('has the colour and the logo of its organization', async () => {
    const { status } = await organize('PATCH', '/api/admin/organization', { colour: '#7b3fa0' })
    expect(status).toBe(200)
    const logo = { create: { width: 96, height: 64, channels: 3, background: '#336699' } } as const
    const put = await server.request('PUT', '/api/admin/organization/logo', {
      token: ours.tokens.organizer,
      raw: await sharp(logo).png().toBuffer(),
      headers: { 'content-type': 'image/png' },
    })
    expect(put.status, put.text).toBe(200)
    const to = address()
    await sellTo(to)
    await look()
    const { html } = await PostalMime.parse(smtp.to(to)[0]!.raw)
    expect(html).toMatch(/<img src="https?:[^"]+" alt="Test" width="48" height="32"/)
    expect(html).toContain(`${put.body.data.plain.url}" alt=`)
    expect(html).toContain('background:#7b3fa0;color:#ffffff')
  })

  it('is told to its buyer, with a link that opens it, and again when staff say so', async () => {
    const to = address()
    const order = await sellTo(to)
    await look()
    const [first] = smtp.to(to)
    const read = await PostalMime.parse(first!.raw)
    expect(read.from).toEqual({ name: 'Test', address: 'tickets@example.org' })
    expect(read.text).toContain(order.order_number)
    expect(read.text).toMatch(/R\s?900,00/u)
    expect(read.html).toContain('Ann &lt;b&gt;')
    const open = (secret: string) =>
      send('GET', `/api/orders/${order.order_id}?secret=${secret}`, ours.tokens.scanner)
    expect((await open(secretOf(read.text!))).status).toBe(200)
    expect((await open('A'.repeat(43))).status).toBe(404)

    const again = await send('POST', `/api/admin/orders/${order.order_id}/resend`, ours.tokens.support)
    expect(again.status, again.text).toBe(201)
    await look()
    expect(smtp.to(to)).toHaveLength(2)
    const second = await PostalMime.parse(smtp.to(to)[1]!.raw)
    expect(secretOf(second.text!)).not.toBe(secretOf(read.text!))
    for (const text of [read.text!, second.text!]) expect((await open(secretOf(text))).status).toBe(200)

    const listed = await send('GET', `/api/admin/mails?order_id=${order.order_id}`, ours.tokens.support)
    expect(listed.body.data.map((mail: Mail) => mail.status)).toEqual(['sent', 'sent'])
    expect(listed.text).not.toContain(secretOf(read.text!))
    const secrets = await server.database.sql(`select 1 from mails where data::text like '%' || $1 || '%'`, [
      secretOf(read.text!),
    ])
    expect(secrets).toEqual([])
    const refunded = await organize('POST', `/api/admin/orders/${order.order_id}/refund`, { reason: 'ill' })
    expect(refunded.status).toBe(200)
    await look()
    expect((await PostalMime.parse(smtp.to(to)[2]!.raw)).subject).toMatch(/^Refund for/)
    const none = await send('POST', `/api/admin/orders/${order.order_id}/resend`, ours.tokens.support)
    expect([none.status, none.body.code]).toEqual([409, 'invalid_transition'])
  })
})

describe('the tickets of a buyer', () => {
  const url = (orderId: string) => `/api/orders/${orderId}/resend`
  const orderOf = async (orderId: string, token = ours.tokens.customer) =>
    (await send('GET', `/api/orders/${orderId}`, token)).body.data
  const resend = (orderId: string, body?: object, token = ours.tokens.customer) =>
    send('POST', url(orderId), token, body)

  it('are said to be sent, where, and sent again', async () => {
    const to = address()
    const { order_id: id } = await sellTo(to)
    expect((await orderOf(id)).mail).toEqual({ to, status: 'queued', ended_at: null })
    await look()
    expect((await orderOf(id)).mail).toEqual({ to, status: 'sent', ended_at: expect.any(String) })
    const again = await resend(id)
    expect(again.status, again.text).toBe(201)
    expect(again.body.data).toEqual({ mail: { to, status: 'queued', ended_at: null }, reissued: 0 })
    await look()
    expect(smtp.to(to)).toHaveLength(2)
    const { tickets } = await orderOf(id)
    expect(tickets.map(({ version }: { version: number }) => version)).toEqual([1, 1])
  })

  it('go to another address when its buyer says so; what the first one got opens nothing any more', async () => {
    const [wrong, right] = [address(), address()]
    const { order_id: id } = await sellTo(wrong)
    await look()
    const secret = secretOf((await PostalMime.parse(smtp.to(wrong)[0]!.raw)).text!)
    const open = () => send('GET', `/api/orders/${id}?secret=${secret}`, ours.tokens.scanner)
    expect((await open()).body.data.mail).toBeNull()
    const before = await orderOf(id)
    const { body } = await resend(id, { email: right })
    expect(body.data).toEqual({ mail: { to: right, status: 'queued', ended_at: null }, reissued: 2 })
    await look()
    expect(smtp.to(right)).toHaveLength(1)
    expect(smtp.to(wrong)).toHaveLength(1)
    expect((await open()).status).toBe(404)
    const after = await orderOf(id)
    const tokens = (order: { tickets: { token: string }[] }) => order.tickets.map(({ token }) => token)
    for (const token of tokens(after)) expect(tokens(before)).not.toContain(token)
    const staff = await send('GET', `/api/admin/orders/${id}`, ours.tokens.support)
    expect(staff.body.data.contact).toEqual({ name: 'Ann <b>', email: right })
    const audit = await organize('GET', `/api/admin/audit?action=order_contact_changed`)
    expect(audit.body.data[0]).toMatchObject({ entity_id: id, changes: { by: 'buyer', reissued: 2 } })
    expect(audit.text).not.toContain(right)
  })

  it('that were not mailed yet are not issued again, and do not go to the address before', async () => {
    const [wrong, right] = [address(), address()]
    const { order_id: id } = await sellTo(wrong)
    expect((await resend(id, { email: right })).body.data.reissued).toBe(0)
    await look()
    expect([smtp.to(wrong).length, smtp.to(right).length]).toEqual([0, 1])
    const listed = await send('GET', `/api/admin/mails?order_id=${id}`, ours.tokens.support)
    expect(listed.body.data.map((mail: Mail) => [mail.status, mail.last_error])).toEqual([
      ['sent', null],
      ['dead', 'out of date'],
    ])
  })

  it('are sent for their buyer alone, with or without the secret of a link', async () => {
    const to = address()
    const { order_id: id } = await sellTo(to)
    await look()
    const refused = await resend(id, { email: address() }, ours.tokens.scanner)
    expect([refused.status, refused.body.code]).toEqual([404, 'order_not_found'])
    const secret = secretOf((await PostalMime.parse(smtp.to(to)[0]!.raw)).text!)
    const withSecret = await send('POST', `${url(id)}?secret=${secret}`, ours.tokens.scanner, {})
    expect(withSecret.status).not.toBe(201)
    expect((await orderOf(id)).mail.to).toBe(to)
  })

  it('are sent five times a day for an order and ten for a buyer, also when asked at once', async () => {
    const { body } = await server.request('POST', '/api/accounts', {
      body: { organization: ours.slug, email: address(), password: PASSWORD },
    })
    const token = body.data.token as string
    const ids: string[] = []
    for (let order = 0; order < 3; order += 1) ids.push((await sellTo(address(), token)).order_id)
    const ask = (id: string) => resend(id, { email: address() }, token)
    const first = await Promise.all(Array.from({ length: 7 }, () => ask(ids[0]!)))
    expect(first.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429])
    for (let mail = 0; mail < 5; mail += 1) expect((await ask(ids[1]!)).status).toBe(201)
    const refused = await ask(ids[2]!)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    await look()
  })

  it('that they bought as a guest are sent no more often once they have an account', async () => {
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const { order_id: id } = await sellTo(address(), guest.body.data.token)
    const { body } = await server.request('POST', '/api/accounts', {
      body: { organization: ours.slug, email: address(), password: PASSWORD },
    })
    const token = body.data.token as string
    const joined = await send('POST', '/api/holds/transfer', token, { from_token: guest.body.data.token })
    expect(joined.body.data).toMatchObject({ orders: 1 })
    for (let mail = 0; mail < 5; mail += 1) expect((await resend(id, undefined, token)).status).toBe(201)
    expect((await resend(id, undefined, token)).status).toBe(429)
    await look()
  })

  it('can not be sent when there are none', async () => {
    const { order_id: id } = await sellTo(address())
    await organize('POST', `/api/admin/orders/${id}/refund`, { reason: 'ill' })
    const refused = await resend(id)
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition'])
    await look()
  })
})

describe('attachments', () => {
  it('are the tickets to print and an entry for a calendar', async () => {
    const to = address()
    const order = await sellTo(to)
    const { database, ticketKeys } = server.node
    const ticketPdfs = new TicketPdfs({
      log: pino({ level: 'silent' }),
      onMade: () => {},
      clock: systemClock,
    })
    await sender({
      attach: attachTickets({
        database,
        ticketKeys,
        ticketPdfs,
        pageUrl: () => 'https://tickets.example.org',
      }),
    }).look()
    await ticketPdfs.close()
    const read = await PostalMime.parse(smtp.to(to)[0]!.raw)
    expect(read.attachments.map(({ filename }) => filename)).toEqual([
      `tickets-${order.order_number}.pdf`,
      `${order.order_number}.ics`,
    ])
    const [pdf, entry] = read.attachments.map(({ content }) =>
      Buffer.from(content as ArrayBuffer).toString('latin1'),
    )
    expect(pdf).toMatch(/^%PDF-/)
    expect(entry).toContain('DTSTART:20270301T173000Z')
  })

  const pdf = { filename: 'tickets.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7 …') }

  it('go with the tickets of an order, and the mail waits a while for what can not be made', async () => {
    const to = address()
    await sellTo(to)
    const [mail] = (await send('GET', '/api/admin/mails?limit=1', ours.tokens.support)).body.data
    await sender({ attach: async () => null }).look()
    expect(await mailOf(mail.mail_id)).toMatchObject({ status: 'queued', last_error: 'no attachments yet' })
    await server.database.sql('update mails set due_at = now() where id = $1', [mail.mail_id])
    await sender({ attach: async () => [pdf] }).look()
    const read = await PostalMime.parse(smtp.to(to)[0]!.raw)
    expect(read.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ['tickets.pdf', 'application/pdf'],
    ])
    const again = address()
    await sellTo(again)
    await server.database.sql(`update mails set attempts = 3 where recipient = $1`, [again])
    const fails = () => Promise.reject(new Error('no worker'))
    await sender({ attach: fails }).look()
    expect((await PostalMime.parse(smtp.to(again)[0]!.raw)).attachments).toEqual([])
  })

  it('go with new tickets for other seats', async () => {
    const to = address()
    const { order_id: orderId } = await sellTo(to)
    await server.node.database.tenant(scope(), tx =>
      queueMail(tx, { kind: 'order_moved', to, locale: 'en', key: randomUUID(), data: { orderId } }),
    )
    await sender({ attach: async () => [pdf] }).look()
    const read = await Promise.all(smtp.to(to).map(({ raw }) => PostalMime.parse(raw)))
    const told = read.map(({ subject, attachments }) => [subject, attachments.length])
    expect(told).toContainEqual(['Your new seats for Play', 1])
  })
})

describe('the sender', () => {
  it('sends each mail once, however many senders look at it, and queues a key once', async () => {
    const addresses = Array.from({ length: 8 }, address)
    const key = randomUUID()
    expect(await queue(addresses[0]!, key)).not.toBeNull()
    expect(await queue(addresses[0]!, key)).toBeNull()
    for (const to of addresses.slice(1)) await queue(to)
    await Promise.all([look(), look(), look()])
    expect(addresses.map(to => smtp.to(to).length)).toEqual(addresses.map(() => 1))
  })

  it.each([
    ['a greylisting server', { at: 'RCPT', answer: '450 later' }, 'RCPT TO 450'],
    ['a server that refuses for now after the dot', { at: 'end', answer: '451 later' }, 'DATA 451'],
    ['a sender that the server does not know', { at: 'MAIL', answer: '553 who' }, 'MAIL FROM 553'],
  ] as const)('tries again after %s', async (_name, mischief, error) => {
    const to = address()
    smtp.mischief.push(mischief)
    const id = (await queue(to))!
    await look()
    expect(await mailOf(id)).toMatchObject({ status: 'queued', attempts: 1, last_error: error })
    expect(await tryAgain(id)).toMatchObject({ status: 'sent', attempts: 2 })
    expect(smtp.to(to)).toHaveLength(1)
  })

  it.each([
    ['an unknown address', { at: 'RCPT', answer: '550 unknown' }, 'RCPT TO 550'],
    ['a mail that is not wanted', { at: 'end', answer: '554 no' }, 'DATA 554'],
  ] as const)('gives %s up, and staff can send it again', async (_name, mischief, error) => {
    const to = address()
    smtp.mischief.push(mischief)
    const id = (await queue(to))!
    await look()
    expect(await mailOf(id)).toMatchObject({ status: 'dead', last_error: error })
    const key = { 'idempotency-key': randomUUID() }
    const resend = () => send('POST', `/api/admin/mails/${id}/resend`, ours.tokens.support, undefined, key)
    expect((await resend()).body.data).toMatchObject({ status: 'queued', resend_of: id })
    await resend()
    await look()
    expect(smtp.to(to)).toHaveLength(1)
  })

  it('does not repeat what may have gone out: cut off after the final dot', async () => {
    const to = address()
    smtp.mischief.push('cut after the dot')
    const id = (await queue(to))!
    await look()
    expect(await mailOf(id)).toMatchObject({ status: 'unknown' })
    await tryAgain(id)
    expect(smtp.to(to)).toHaveLength(1)
  })

  it('surely sent nothing when it is cut off before the last byte', async () => {
    smtp.mischief.push('cut in the middle')
    const session = await SmtpSession.open(SERVER(), PATIENT_LIMITS)
    const envelope = { from: 'tickets@example.org', to: address() }
    const message = Buffer.from(`Subject: large\r\n\r\n${'x'.repeat(76)}\r\n`.repeat(250_000))
    expect(await session.send(envelope, message)).toMatchObject({ outcome: 'refused', isFinal: false })
    expect(session.isUsable).toBe(false)
    expect(smtp.to(envelope.to)).toEqual([])
  })

  it('waits for a slow server within a bound, and does not know then', async () => {
    const to = address()
    smtp.mischief.push('silent after the dot')
    const id = (await queue(to))!
    const time = new HandTime()
    const looking = sender({ time }).look()
    await waitUntil('the server has the mail', () => smtp.to(to).length === 1)
    await time.pass(PATIENT_LIMITS.sendMs)
    await looking
    expect(await mailOf(id)).toMatchObject({
      status: 'unknown',
      last_error: expect.stringMatching(/TIMEDOUT/),
    })
    await tryAgain(id)
    expect(smtp.to(to)).toHaveLength(1)
  })

  it('does not send again what a node was sending when it died', async () => {
    const to = address()
    const id = (await queue(to))!
    const leased = await server.node.database.platform('send mails', tx => leaseMail(tx, 3_600_000, TURN))
    expect(leased).toMatchObject({ id, attempts: 1 })
    const waiting = await send('POST', `/api/admin/mails/${id}/resend`, ours.tokens.support)
    expect([waiting.status, waiting.body.code]).toEqual([409, 'invalid_transition'])
    await look()
    expect(await mailOf(id)).toMatchObject({ status: 'sending' })
    await server.database.sql(`update mails set lease_until = now() - interval '1 second' where id = $1`, [
      id,
    ])
    await look()
    expect(await tryAgain(id)).toMatchObject({ status: 'unknown', last_error: 'node gone' })
    expect(smtp.to(to)).toEqual([])
  })

  it('tries again when the server is gone, a bounded number of times', async () => {
    const to = address()
    const id = (await queue(to))!
    const gone = { ...SERVER(), port: 1 }
    const from = { name: null, address: 'tickets@example.org' }
    const toNowhere = sender({ server: { smtp: gone, from } })
    await toNowhere.look()
    expect(await mailOf(id)).toMatchObject({ status: 'queued', last_error: 'CONN ECONNREFUSED' })
    await server.database.sql('update mails set attempts = 15, due_at = now() where id = $1', [id])
    await toNowhere.look()
    expect(await mailOf(id)).toMatchObject({ status: 'dead', attempts: 16 })
  })

  it('keeps mails where no server is configured', async () => {
    const id = (await queue(address()))!
    await sender({ server: null }).look()
    expect(await mailOf(id)).toMatchObject({ status: 'kept', attempts: 0 })
  })
})

describe('many mails', () => {
  it('of one organization do not delay those of another, and passwords go first', async () => {
    const theirs = await server.organization('Theirs')
    const { id: theirId } = theirs
    const flood = address()
    const order = await sellTo(flood)
    await look()
    const before = smtp.taken.length
    await server.database.sql(
      `insert into mails (organization_id, id, key, kind, recipient, data, order_id, due_at)
       select $1::uuid, gen_random_uuid(), '${flood} ' || n, 'order_refunded', '${flood}',
         jsonb_build_object('orderId', $2::text, 'cause', 'event_cancelled', 'amount', 100), $2::uuid,
         now() - interval '1 hour'
       from generate_series(1, 40) as n`,
      [ours.id, order.order_id],
    )
    const password = address()
    const session = await send('GET', '/api/session', theirs.tokens.customer)
    const userId = session.body.data.user.id
    const at = TenantScope.of(theirId as never)
    // The newest of all.
    await server.node.database.tenant(at, tx =>
      queueMail(tx, {
        kind: 'password_changed',
        to: password,
        locale: 'en',
        key: randomUUID(),
        data: { userId },
      }),
    )
    const turns: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const mail = await server.node.database.platform('send mails', tx =>
        leaseMail(tx, 60_000, { ...TURN, after: turns.at(-1) ?? TURN.after }),
      )
      if (mail) turns.push(mail.organizationId)
      else break
    }
    expect(new Set(turns)).toEqual(new Set([ours.id, theirId]))
    await server.database.sql(
      `update mails set status = 'queued', lease_until = null where status = 'sending'`,
    )
    // Three connections take their first mails at the same time, and one of these three is about a password:
    // the server answers none of the others before it has that.
    const hasPassword = () => waitUntil('the mail about a password comes', () => smtp.to(password).length > 0)
    smtp.beforeAnswer = async mail => (mail.to === flood ? hasPassword() : null)
    await look()
    const sent = smtp.taken.slice(before).map(mail => mail.to)
    const first = sent.indexOf(flood)
    expect(sent.indexOf(password)).toBeGreaterThanOrEqual(0)
    expect(sent.indexOf(password)).toBeLessThan(first + 3)
    expect(sent.filter(to => to === flood)).toHaveLength(40)
  })

  it('that were kept go out when an admin says so, and not before', async () => {
    const to = address()
    await sellTo(to)
    const kept = sender({ server: null })
    await kept.look()
    await look()
    expect(smtp.to(to)).toEqual([])
    const url = '/api/admin/mails/send-kept'
    expect((await organize('POST', url)).status).toBe(403)
    const later = await send('POST', url, ours.tokens.admin, { since: '2099-01-01T00:00:00Z' })
    expect(later.body.data).toEqual({ queued: 0, left: 0 })
    const sent = await send('POST', url, ours.tokens.admin)
    expect(sent.body.data, sent.text).toEqual({ queued: 1, left: 0 })
    await look()
    expect(smtp.to(to)).toHaveLength(1)
    const [entry] = (await send('GET', '/api/admin/audit?action=kept_mails_sent', ours.tokens.admin)).body
      .data
    expect(entry.changes).toEqual({ queued: 1, left: 0 })
  })
})

describe('passwords', () => {
  const FIVE_MINUTES_MS = 300_000
  const tokenOf = (text: string) => /#token=([\w-]+)/.exec(text)![1]!
  async function account(): Promise<{ email: string; token: string }> {
    const email = address()
    const url = `/api/platform/organizations/${ours.id}/users`
    await send('POST', url, ROOT_KEY, { email, password: PASSWORD, role: 'customer' })
    return { email, token: (await signIn(email, PASSWORD)).body.data.token }
  }
  const signIn = async (email: string, password: string) =>
    server.request('POST', '/api/sessions', { body: { organization: ours.slug, email, password } })
  const ask = (email: string, organization = ours.slug) =>
    server.request('POST', '/api/password-resets', {
      body: { organization, email },
      headers: { 'accept-language': 'af' },
    })
  const reset = (token: string, password: string) =>
    server.request('POST', `/api/password-resets/${token}`, { body: { password } })
  const who = async (token: string) => (await send('GET', '/api/session', token)).status
  async function resetToken(email: string): Promise<string> {
    expect((await ask(email)).status).toBe(202)
    await look()
    const read = await PostalMime.parse(smtp.to(email)[0]!.raw)
    expect(read.subject).toBe('Kies ’n nuwe wagwoord vir Test')
    return tokenOf(read.text!)
  }

  it('are reset by mail: once, and all sessions of the account end', async () => {
    const { email, token } = await account()
    const mailed = await resetToken(email)
    const [first, second] = await Promise.all([
      reset(mailed, 'another password 1'),
      reset(mailed, 'another password 2'),
    ])
    expect([first!.status, second!.status].sort()).toEqual([204, 404])
    const chosen = first!.status === 204 ? 'another password 1' : 'another password 2'
    expect(await who(token)).toBe(401)
    expect((await signIn(email, PASSWORD)).status).toBe(401)
    const opened = await signIn(email, chosen)
    expect(opened.status).toBe(201)
    expect((await reset(mailed, 'another password 3')).status).toBe(404)
    expect(await who(opened.body.data.token)).toBe(200)
    await look()
    expect((await PostalMime.parse(smtp.to(email)[1]!.raw)).subject).toMatch(/password for Test was changed/)
  })

  it('a token opens nothing after an hour, nor after another change, and is stored as a hash', async () => {
    const { email, token } = await account()
    const mailed = await resetToken(email)
    const [{ count }] = (await server.database.sql<{ count: number }>(
      `select count(*)::int as count from password_resets r where r::text like '%' || $1 || '%'`,
      [mailed],
    )) as [{ count: number }]
    expect(count).toBe(0)
    expect((await send('GET', '/api/session', mailed)).status).toBe(401)
    await server.database.sql(
      `update password_resets set expires_at = now() - interval '1 second' where ended_at is null`,
    )
    expect((await reset(mailed, 'another password')).status).toBe(404)
    await server.database.sql(
      `update password_resets set expires_at = now() + interval '1 hour' where ended_at is null`,
    )
    const change = { current: PASSWORD, new: 'another password' }
    expect((await send('POST', '/api/accounts/password', token, change)).status).toBe(204)
    expect((await reset(mailed, 'a third password')).status).toBe(404)
  })

  it('asking tells nothing of who has an account, and mails an account once in five minutes', async () => {
    const { email } = await account()
    // Mails are counted by five minutes of the clock: here none of them ends between two questions.
    server.clock.jump(FIVE_MINUTES_MS - (server.clock.now() % FIVE_MINUTES_MS))
    const answers = [
      await ask(email),
      await ask(email),
      await ask(address()),
      await ask(email, 'no-such-org'),
    ]
    expect(answers.map(answer => [answer.status, answer.text])).toEqual(answers.map(() => [202, '']))
    await look()
    expect(smtp.to(email)).toHaveLength(1)
  })

  it('are changed by who knows theirs: the other sessions end', async () => {
    const { email, token } = await account()
    const other = (await signIn(email, PASSWORD)).body.data.token
    const change = (current: string, as = token) =>
      send('POST', '/api/accounts/password', as, { current, new: 'another password' })
    const wrong = await change('not my password')
    expect([wrong.status, wrong.body.errors]).toEqual([
      400,
      [{ path: '/current', message: 'is not your password' }],
    ])
    expect(await who(other)).toBe(200)
    expect((await change(PASSWORD)).status).toBe(204)
    expect([await who(token), await who(other)]).toEqual([200, 401])
    expect((await signIn(email, 'another password')).status).toBe(201)
    await look()
    expect(smtp.to(email)).toHaveLength(1)
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    expect((await change(PASSWORD, guest.body.data.token)).status).toBe(403)
  })

  it('guessing the current one is limited', async () => {
    const { token } = await account()
    const statuses = []
    for (let n = 0; n < 11; n += 1) {
      const body = { current: `guess ${n}`, new: 'another password' }
      statuses.push((await send('POST', '/api/accounts/password', token, body)).status)
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400))
    expect(statuses[10]).toBe(429)
  })
})
