import { Refused } from '@voelgoed/client'
import type { EventId, TicketId } from '@voelgoed/core/ids'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { fakeBrowser, json, problem } from '../../test/fake-browser.ts'
import { untilWorthTrying } from '../kit/state/keep-trying.ts'
import type { Session } from '../kit/state/session.svelte.ts'
import { decideOffline } from './decide-offline.ts'
import { DeviceClock } from './device-clock.ts'
import { DeviceStore, type WaitingScan, type WrongScan } from './device-store.ts'
import {
  type Bundle,
  type GateList,
  type KnownTicket,
  newsByTicket,
  unknownTicket,
  withEntry,
  withoutEntry,
} from './gate-list.ts'
import { Gatekeeper } from './gatekeeper.svelte.ts'
import { KeyBuffer } from './key-buffer.ts'
import { RepeatWindow } from './repeat-window.ts'
import { scanAf } from './scan-af.ts'
import { scanEn } from './scan-en.ts'
import { Signals } from './sound.ts'
import { uploadWaiting } from './upload-waiting.ts'
import { toneOf } from './verdict.ts'
import { createVerifier } from './verify-token.ts'

const EVENT = '0197a000-0000-7000-8000-000000000001' as EventId
const TICKET = '0197a000-0000-7000-8000-00000000000c' as TicketId
const NOON = Date.parse('2027-03-05T10:00:00Z')
const FRIDAY = '2027-03-05'

/** The server does not take this, whatever else is sent. */
const refusal = (status: number) => {
  const body = { title: 'no', status, code: 'internal_error', detail: '', retryable: false } as const
  return new Refused(body, null)
}

describe('a hardware scanner', () => {
  const type = (text: string, gapMs: number, end = 'Enter') => {
    const buffer = new KeyBuffer()
    let at = 0
    let code: string | null = null
    for (const key of [...text, end]) {
      code = buffer.press(key, at)
      at += gapMs
    }
    return code
  }
  test.each<[string, string, number, string, string | null]>([
    ['types fast and ends with Enter', 'VG1.AbCd-_9', 10, 'Enter', 'VG1.AbCd-_9'],
    ['may end with Tab', 'VG1.AbCd-_9', 10, 'Tab', 'VG1.AbCd-_9'],
    ['is not a person, who is slow', 'VG1.AbCd-_9', 150, 'Enter', null],
    ['types more than a few letters', 'VG1', 10, 'Enter', null],
    ['may type more than a ticket has, which is told as none', 'x'.repeat(300), 10, 'Enter', 'x'.repeat(201)],
  ])('%s', (_, text, gap, end, expected) => {
    expect(type(text, gap, end)).toBe(expected)
  })

  it('is heard after a key that was pressed long before, and without keys that write nothing', () => {
    const buffer = new KeyBuffer()
    buffer.press('q', 0)
    for (const key of ['Shift', 'V', 'G', 'Shift', ...'1.abcdef']) buffer.press(key, 5_000)
    expect(buffer.press('Enter', 5_005)).toBe('VG1.abcdef')
    expect(buffer.press('Enter', 5_010)).toBeNull()
  })
})

describe('the clock of a device', () => {
  const HOUR = 3_600_000
  let wall = 0
  let elapsed = 0
  const clock = () =>
    new DeviceClock(
      () => wall,
      () => elapsed,
    )
  beforeEach(() => {
    wall = NOON
    elapsed = 0
  })

  it('is corrected by what the server said', () => {
    const behind = { readAt: NOON, clockOffset: 26 * HOUR }
    expect(clock().trouble({ readAt: NOON, clockOffset: 1_000 })).toBeNull()
    wall = NOON - 26 * HOUR
    expect([clock().now(behind), clock().trouble(behind)]).toEqual([NOON, 'off'])
    expect([clock().now(null), clock().trouble(null)]).toEqual([wall, null])
  })

  it('that was set back goes on from the last that is known, until it is right again', () => {
    const known = { readAt: NOON, clockOffset: 0 }
    const device = clock()
    wall = 5 * 60_000
    expect([device.now(known), device.trouble(known)]).toEqual([NOON, 'lost'])
    wall += HOUR
    elapsed += HOUR
    expect(device.now(known)).toBe(NOON + HOUR)
    wall = NOON + 2 * HOUR
    expect([device.now(known), device.trouble(known)]).toEqual([wall, null])
  })
})

it('a code counts once while it stays before the camera', () => {
  const repeats = new RepeatWindow()
  expect(repeats.isNew('a', 0)).toBe(true)
  // It is there all the time, longer than the window is.
  for (let at = 100; at <= 10_000; at += 100) expect(repeats.isNew('a', at)).toBe(false)
  expect(repeats.isNew('b', 10_100)).toBe(true)
  expect(repeats.isNew('a', 10_200)).toBe(true)
  expect(repeats.isNew('a', 12_700)).toBe(false)
  expect(repeats.isNew('a', 15_201)).toBe(true)
  // A verdict is looked at: what passes by is new afterwards, and what stays is not.
  repeats.passes('a', 17_000)
  repeats.passes('c', 18_000)
  expect(repeats.isNew('a', 19_400)).toBe(false)
  expect(repeats.isNew('c', 19_500)).toBe(true)
})

const PLACE: Bundle['tickets'][number] = {
  ticket_id: TICKET,
  zone: 0,
  row: 'R1',
  seat_number: 4,
  attendee: 'Anika',
  ticket_type: 'adult',
}
const LIST: GateList = {
  typeNames: { adult: 'Adult' },
  slug: 'voelgoed',
  event: {
    id: EVENT,
    name: 'Play',
    status: 'published',
    time_zone: 'Africa/Johannesburg',
    starts_at: null,
    days: [{ date: FRIDAY, name: null, starts_at: null, ends_at: null }],
  },
  keys: [],
  zones: [
    { zone_id: EVENT, zone_name: 'Stalls', asks_for_member: false },
    { zone_id: EVENT, zone_name: 'Gold', asks_for_member: true },
  ],
  admissions: { back: { days: 'all', entries_per_day: 1, reentry: true } },
  since: '1',
  isComplete: true,
  readAt: NOON,
  clockOffset: 0,
}
const known = (given: Partial<KnownTicket> = {}): KnownTicket => ({
  ...unknownTicket(TICKET),
  place: PLACE,
  ...given,
})
const entry = (id: string, direction: 'in' | 'out', at = NOON - 60_000) => {
  return { id, direction, day: FRIDAY, at, gate: 'North' }
}
const token = (given = {}) => ({ eventId: EVENT, ticketId: TICKET, version: 1, ...given })

describe('a gate without a network', () => {
  const decide = (given: Partial<Parameters<typeof decideOffline>[0]>) =>
    decideOffline({ token: token(), direction: 'in', at: NOON, list: LIST, ticket: known(), ...given })
  const back = { ...PLACE, category: 'back' }

  test.each<[string, Partial<Parameters<typeof decideOffline>[0]>, string]>([
    ['lets a good ticket in', {}, 'good'],
    ['refuses what no key has signed', { token: null }, 'unknown_ticket'],
    ['refuses tickets of other events', { token: token({ eventId: TICKET }) }, 'wrong_event'],
    ['refuses what is void', { ticket: known({ voidedAt: NOON - 1 }) }, 'void'],
    ['refuses what was replaced', { ticket: known({ version: 2, reissuedAt: NOON - 1 }) }, 'replaced'],
    ['trusts a version that is newer than its list', { token: token({ version: 2 }) }, 'good'],
    ['refuses what it let in before', { ticket: known({ entries: [entry('1', 'in')] }) }, 'already_entered'],
    [
      'knows re-entry',
      { ticket: known({ place: back, entries: [entry('1', 'in'), entry('2', 'out')] }) },
      'good',
    ],
    [
      'lets those out who are inside',
      { direction: 'out', ticket: known({ entries: [entry('1', 'in')] }) },
      'good',
    ],
    ['refuses the way out to those who are not inside', { direction: 'out' }, 'not_inside'],
    ['knows the day', { at: NOON + 7 * 86_400_000 }, 'not_valid_today'],
    ['asks for the card of members', { ticket: known({ place: { ...PLACE, zone: 1 } }) }, 'look'],
    ['says that a ticket is not on its list', { ticket: unknownTicket(TICKET) }, 'look'],
  ])('%s', (_, given, expected) => {
    const { verdict, day } = decide(given)
    expect(verdict.kind === 'refused' ? verdict.code : toneOf(verdict)).toBe(expected)
    expect(verdict.isOffline).toBe(true)
    expect(day).toBe(verdict.kind === 'refused' ? null : FRIDAY)
  })

  it('shows who comes, and when and where they came before', () => {
    expect(decide({}).verdict.ticket).toMatchObject({
      ...{ zoneName: 'Stalls', row: 'R1', attendee: 'Anika', ticketType: 'Adult' },
    })
    const { verdict } = decide({ ticket: known({ entries: [entry('1', 'in')] }) })
    expect(verdict).toMatchObject({ entered: { at: NOON - 60_000, gate: 'North' } })
  })
})

describe('news', () => {
  const at = new Date(NOON).toISOString()
  const bundle = (given: Partial<Bundle>): Bundle => ({
    ...{ event: LIST.event, public_keys: [], void: [], replaced: [], entries: [], zones: [], admissions: {} },
    ticket_type_names: {},
    ...{ tickets: [], timestamp: at, since: '2', is_complete: true },
    ...given,
  })
  const came = { entry_id: 'e1', ticket_id: TICKET, direction: 'in' as const, day: FRIDAY, at, gate: null }

  it('of one ticket comes together, in whatever order, and twice is once', () => {
    const news = bundle({
      tickets: [PLACE],
      void: [{ ticket_id: TICKET, at }],
      replaced: [{ ticket_id: TICKET, version: 3, at }],
      entries: [came, came],
    })
    let ticket = unknownTicket(TICKET)
    for (let times = 0; times < 2; times += 1) ticket = newsByTicket(news).get(TICKET)!(ticket)
    expect(ticket).toMatchObject({ place: PLACE, version: 3, voidedAt: NOON, reissuedAt: NOON })
    expect(ticket.entries).toHaveLength(1)
  })

  it('of an entry counts for the tickets that its ticket was moved from and to', () => {
    const news = newsByTicket(
      bundle({ entries: [{ ...came, ticket_id: 'old', moved_ticket_ids: [TICKET] }] }),
    )
    expect([...news.keys()]).toEqual(['old', TICKET])
    const { entries } = news.get(TICKET)!(known())
    expect(entries).toMatchObject([{ id: 'e1', direction: 'in', day: FRIDAY }])
  })

  it('of an entry does not push out what the device has seen itself', () => {
    const ticket = newsByTicket(bundle({ entries: [came] })).get(TICKET)!(
      known({ entries: [entry('own', 'in')] }),
    )
    expect(ticket.entries.map(({ id }) => id)).toEqual(['own', 'e1'])
  })
})

describe('what waits', () => {
  const scan = (id: number, given: Partial<WaitingScan> = {}): WaitingScan => ({
    ...{
      scan_id: `s${id}`,
      slug: 'voelgoed',
      event_id: EVENT,
      ticket_id: `t${id}`,
      token: 'VG1.',
      gate: null,
    },
    ...{ direction: 'in', at: NOON + id, day: FRIDAY, ticket: null },
    ...given,
  })
  /** A store that keeps in memory, and a server that notes what it hears. */
  const setUp = (waiting: WaitingScan[], wrongIds: string[] = [], uncounted: string[] = []) => {
    const tickets = new Map<string, KnownTicket>()
    const wrong: WrongScan[] = []
    const sent: { event: string; ids: string[] }[] = []
    const withdrawn = new Set<string>()
    const refusedIds = new Set<string>()
    let failAt = Number.POSITIVE_INFINITY
    let calls = 0
    const store: Parameters<typeof uploadWaiting>[1] = {
      waitingOf: async (slug, limit) => waiting.filter(one => one.slug === slug).slice(0, limit),
      async settle(heard, found) {
        for (const { scanId, ticketId, change } of heard) {
          waiting.splice(
            waiting.findIndex(one => one.scan_id === scanId),
            1,
          )
          tickets.set(ticketId, change(tickets.get(ticketId) ?? unknownTicket(ticketId)))
        }
        wrong.push(...found)
      },
    }
    const call = async (
      _: string,
      { body }: { body: { event_id: string; scans: { scan_id: string }[] } },
    ) => {
      calls += 1
      if (sent.length === failAt) throw new Error('no network')
      if (body.scans.some(({ scan_id }) => refusedIds.has(scan_id))) throw refusal(500)
      sent.push({ event: body.event_id, ids: body.scans.map(one => one.scan_id) })
      const scans = body.scans.map(({ scan_id }) => {
        const code = wrongIds.includes(scan_id) ? 'already_entered' : null
        const entry_id = uncounted.includes(scan_id) ? null : `entry of ${scan_id}`
        return { scan_id, result: 'admitted', code, entry_id }
      })
      return { data: { admitted: 0, refused: 0, scans } }
    }
    const upload = () =>
      uploadWaiting({ call } as unknown as Parameters<typeof uploadWaiting>[0], store, {
        ...{ slug: 'voelgoed', deviceId: 'phone', signal: new AbortController().signal, now: () => NOON },
        sending: scans => scans.filter(each => !withdrawn.has(each.scan_id)),
      })
    const made = { calls: () => calls, failAt: (at: number) => (failAt = at) }
    return { waiting, tickets, wrong, sent, withdrawn, refusedIds, upload, ...made }
  }

  it('is uploaded in parts, each of one event; other organizations’ scans stay', async () => {
    const many = Array.from({ length: 450 }, (_, id) => scan(id))
    const { upload, sent, waiting } = setUp([
      ...many,
      scan(900, { event_id: TICKET }),
      scan(901, { slug: 'other' }),
    ])
    await upload()
    expect(sent.map(({ ids }) => ids.length)).toEqual([200, 200, 50, 1])
    expect(sent.at(-1)!.event).toBe(TICKET)
    expect(waiting.map(({ scan_id }) => scan_id)).toEqual(['s901'])
  })

  it('stays when the network breaks off, and goes out the next time, once', async () => {
    const { upload, sent, waiting, failAt } = setUp(Array.from({ length: 250 }, (_, id) => scan(id)))
    failAt(1)
    await expect(upload()).rejects.toThrow('no network')
    expect(waiting).toHaveLength(50)
    failAt(Number.POSITIVE_INFINITY)
    await upload()
    const ids = sent.flatMap(part => part.ids)
    expect(new Set(ids).size).toBe(250)
    expect(ids).toHaveLength(250)
  })

  it('goes out although the server refuses some of it, which waits on', async () => {
    const { upload, refusedIds, waiting, calls } = setUp(Array.from({ length: 250 }, (_, id) => scan(id)))
    for (const id of ['s77', 's78']) refusedIds.add(id)
    await expect(upload()).rejects.toThrow(Refused)
    expect(waiting.map(({ scan_id }) => scan_id)).toEqual(['s77', 's78'])
    refusedIds.clear()
    await upload()
    expect(waiting).toEqual([])
    // A server that refuses all of it is not asked about each.
    const other = setUp(Array.from({ length: 250 }, (_, id) => scan(id)))
    for (const { scan_id } of other.waiting) other.refusedIds.add(scan_id)
    await expect(other.upload()).rejects.toThrow(Refused)
    expect(other.waiting).toHaveLength(250)
    expect(calls()).toBeLessThan(60)
    expect(other.calls()).toBe(40)
  })

  it('is not sent when the person was not let in after all, and the ticket is as it was', async () => {
    const { upload, sent, withdrawn } = setUp([scan(1), scan(2)])
    withdrawn.add('s1')
    await upload()
    expect(sent).toMatchObject([{ ids: ['s2'] }])
    const before = known({ id: 't1' })
    expect(withoutEntry(withEntry(before, entry('s1', 'in')), 's1')).toEqual(before)
  })

  it('of an exit that the server does not count: it counts here no more, and is no entry to look at', async () => {
    const out = { direction: 'out' } as const
    const { upload, wrong, tickets, sent } = setUp(
      [scan(1, out), scan(2, { ...out, day: null }), scan(3, out)],
      ['s1', 's2'],
      ['s1', 's2'],
    )
    const inside = [entry('in', 'in')]
    tickets.set('t1', known({ id: 't1', entries: [...inside, entry('s1', 'out')] }))
    tickets.set('t2', known({ id: 't2' }))
    tickets.set('t3', known({ id: 't3', entries: [...inside, entry('s3', 'out')] }))
    await upload()
    expect(sent).toMatchObject([{ ids: ['s1', 's2', 's3'] }])
    expect(wrong).toEqual([])
    expect(tickets.get('t1')!.entries).toEqual(inside)
    expect(tickets.get('t2')!.entries).toEqual([])
    expect(tickets.get('t3')!.entries.map(({ id }) => id)).toEqual(['in', 'entry of s3'])
  })

  it('is known by the server’s id afterwards, and what was wrong is listed', async () => {
    const { upload, wrong, tickets } = setUp([scan(1), scan(2)], ['s2'])
    tickets.set('t1', known({ id: 't1', entries: [entry('s1', 'in')] }))
    await upload()
    expect(tickets.get('t1')!.entries.map(({ id }) => id)).toEqual(['entry of s1'])
    expect(wrong).toMatchObject([{ scan_id: 's2', code: 'already_entered' }])
  })
})

const newKeys = async () =>
  (await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])) as CryptoKeyPair
const publicKeyOf = async ({ publicKey }: CryptoKeyPair) => ({
  public_key: Buffer.from(await crypto.subtle.exportKey('spki', publicKey)).toString('base64'),
})
const signedBy = async ({ privateKey }: CryptoKeyPair) => {
  const { formatToken, ticketPayload } = await import('@voelgoed/core/tickets/token')
  const payload = ticketPayload(token())
  const signature = await crypto.subtle.sign({ name: 'Ed25519' }, privateKey, payload as BufferSource)
  return formatToken(payload, new Uint8Array(signature))
}

it('only a key of the organization signs a ticket', async () => {
  const [ours, theirs] = [await newKeys(), await newKeys()]
  const verifier = (await createVerifier([await publicKeyOf(ours)]))!
  expect(await verifier.verify(await signedBy(ours))).toMatchObject(token())
  expect(await verifier.verify(await signedBy(theirs))).toBeNull()
  expect(await verifier.verify('hello')).toBeNull()
  expect(await createVerifier([{ public_key: 'AAAA' }])).toBeNull()
})

describe('a device at its gate, also when its storage fails', () => {
  const ADMITTED = {
    ...{ result: 'admitted', code: null, direction: 'in', entry_id: 'e1', day: FRIDAY, entries_today: 1 },
    ...{ ticket: { ...PLACE, zone_name: 'Stalls', ticket_type_name: 'Adult', flags: [] } },
    ...{ live: null, entered: null, valid_days: null },
  }
  const lost = async () => {
    throw new DOMException('lost', 'UnknownError')
  }
  const full = async () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  /** All that the storage is asked for; a test lets some of it fail. */
  const storeOf = (given: object) => ({
    ...{ readList: async () => null, forgetList: async () => {}, readTicket: async () => known() },
    ...{ countWaiting: async () => 0, wrongScans: async () => [], countTickets: async () => 1 },
    ...{ waitingOf: async () => [], applyPage: async () => {}, changeTicket: async () => {} },
    ...{ keepScan: async () => true },
    ...given,
  })
  let isAway = false
  let direction: 'in' | 'out' = 'in'
  let refused: Response | null = null
  let keeper: Gatekeeper
  const said = vi.fn()
  const missed = vi.fn()
  beforeEach(() => {
    fakeBrowser()
    vi.useFakeTimers({ now: NOON, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    isAway = false
    direction = 'in'
    refused = null
    said.mockReset()
    vi.stubGlobal('fetch', async (url: unknown) => {
      if (isAway || !String(url).endsWith('/api/scans')) throw new TypeError('no network')
      return refused ?? json({ data: ADMITTED })
    })
  })
  afterEach(() => {
    keeper.close()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const open = async (
    given: object,
    bundle: (route: string) => Promise<unknown> = () => new Promise(() => {}),
  ) => {
    keeper = new Gatekeeper({
      session: { slug: 'voelgoed', client: { call: bundle }, visitor: null } as unknown as Session,
      store: storeOf(given) as unknown as DeviceStore,
      deviceId: 'phone',
      gate: () => ({ eventId: EVENT, name: 'North', direction }),
      onVerdict: said,
      onMissed: missed,
    })
    await keeper.open()
  }
  const scan = async (code: string) => {
    said.mockReset()
    keeper.next()
    keeper.scan(code)
    await expect.poll(() => said).toHaveBeenCalledOnce()
    return said.mock.calls[0]![0]
  }

  it('shows what the server said, and is not without a network', async () => {
    await open({ changeTicket: lost, readTicket: lost })
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted', isOffline: false })
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted', isOffline: false })
    expect(keeper.isOnline).toBe(true)
    expect(keeper.admitted).toBe(2)
  })

  describe('what is scanned while another ticket is looked at', () => {
    const REFUSED = { ...ADMITTED, result: 'refused', code: 'already_entered', entry_id: null, day: null }
    /** The server refuses the codes that begin with no, and says what it was asked. */
    const listen = () => {
      const asked: string[] = []
      vi.stubGlobal('fetch', async (_: unknown, { body }: { body: string }) => {
        const code: string = JSON.parse(body).token
        asked.push(code)
        return json({ data: code.startsWith('no') ? REFUSED : ADMITTED })
      })
      return asked
    }
    const asIsShown = () => said.mock.calls.map(([verdict]) => verdict.kind)

    it('waits until a no was seen; a yes makes way at once; none is lost', async () => {
      const asked = listen()
      await open({})
      const codes = ['yes 1', 'yes 2', 'no 1', 'yes 3', 'no 2', 'yes 4', 'yes 5']
      for (const code of codes) keeper.scan(code)
      await expect.poll(() => keeper.mustBeSeen).toBe(true)
      expect([asked, keeper.inLine]).toEqual([['yes 1', 'yes 2', 'no 1'], 4])
      // A guard who shows the same ticket again gets the same answer.
      keeper.scan('no 1')
      expect([asIsShown(), keeper.inLine]).toEqual([['admitted', 'admitted', 'refused', 'refused'], 4])
      keeper.next()
      await expect.poll(() => asked).toHaveLength(5)
      await expect.poll(() => keeper.mustBeSeen).toBe(true)
      keeper.next()
      await expect.poll(() => asked).toEqual(codes)
      await expect.poll(() => keeper.admitted).toBe(5)
      expect([keeper.missed, keeper.inLine]).toEqual([0, 0])
    })

    it('is told of when there is more than waits in line, until the guard has seen it', async () => {
      const asked = listen()
      await open({})
      keeper.scan('no 1')
      await expect.poll(() => keeper.mustBeSeen).toBe(true)
      for (let n = 0; n < 23; n += 1) keeper.scan(`yes ${n}`)
      expect([keeper.inLine, keeper.missed, missed.mock.calls.length]).toEqual([20, 3, 3])
      keeper.next()
      await expect.poll(() => asked).toHaveLength(21)
      expect(keeper.missed).toBe(3)
      keeper.forgetMissed()
      expect(keeper.missed).toBe(0)
    })

    it('waits until a form is closed', async () => {
      const asked = listen()
      await open({})
      keeper.hold(true)
      keeper.scan('yes 1')
      await vi.advanceTimersByTimeAsync(5_000)
      expect([asked, keeper.inLine]).toEqual([[], 1])
      keeper.hold(false)
      await expect.poll(() => keeper.admitted).toBe(1)
    })
  })

  it('counts whom it let in today, also after a reload', async () => {
    const today = { readList: async () => LIST }
    await open(today)
    await scan('VG1.any')
    await scan('VG1.other')
    keeper.close()
    await open(today)
    expect(keeper.admitted).toBe(2)
    keeper.close()
    // The next day of the event, and another event on this one.
    vi.setSystemTime(NOON + 86_400_000)
    await open(today)
    expect(keeper.admitted).toBe(0)
  })

  it('goes on at once when it is told to while it was busy', async () => {
    const told = new AbortController()
    told.abort()
    await untilWorthTrying(3_600_000, told.signal)
    await open({})
  })

  it('says that the network is there when it has heard of it', async () => {
    await open({})
    expect([keeper.isConnecting, keeper.isOnline]).toEqual([true, true])
    keeper.networkChanged(false)
    expect([keeper.isConnecting, keeper.isOnline]).toEqual([false, false])
    keeper.networkChanged(true)
    await scan('VG1.any')
    expect([keeper.isConnecting, keeper.isOnline]).toEqual([false, true])
  })

  it('whose clock was set back goes on from what it knows, and says so', async () => {
    const keys = await newKeys()
    isAway = true
    const keepScan = vi.fn<DeviceStore['keepScan']>(async () => true)
    await open({ readList: async () => ({ ...LIST, keys: [await publicKeyOf(keys)] }), keepScan })
    expect(keeper.clockTrouble).toBeNull()
    vi.setSystemTime(0)
    expect(await scan(await signedBy(keys))).toMatchObject({ kind: 'admitted', isOffline: true })
    expect(keepScan.mock.calls[0]![0]).toMatchObject({ day: FRIDAY })
    expect(keepScan.mock.calls[0]![0].at).toBeGreaterThanOrEqual(NOON)
    expect(keeper.clockTrouble).toBe('lost')
  })

  it('says in words that it can not decide, each time', async () => {
    isAway = true
    await open({ readList: async () => LIST, readTicket: lost })
    const verdict = { kind: 'undecided', why: 'device_failed' }
    expect(await scan('VG1.any')).toMatchObject(verdict)
    expect(await scan('VG1.any')).toMatchObject(verdict)
    // The network is back before the page has asked for news: the server decides.
    isAway = false
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted', isOffline: false })
  })

  it('does not let in what it can not note, and does not say that too many wait', async () => {
    const keys = await newKeys()
    isAway = true
    await open({ readList: async () => ({ ...LIST, keys: [await publicKeyOf(keys)] }), keepScan: full })
    expect(await scan(await signedBy(keys))).toMatchObject({ kind: 'undecided', why: 'device_failed' })
    expect(keeper.admitted).toBe(0)
  })

  it('without a network keeps an exit whose entry it does not know, and does not count it', async () => {
    const keys = await newKeys()
    isAway = true
    direction = 'out'
    const keepScan = vi.fn<DeviceStore['keepScan']>(async () => true)
    await open({ readList: async () => ({ ...LIST, keys: [await publicKeyOf(keys)] }), keepScan })
    expect(await scan(await signedBy(keys))).toMatchObject({ kind: 'refused', code: 'not_inside' })
    expect(keepScan).toHaveBeenCalledOnce()
    const [kept, change] = keepScan.mock.calls[0]!
    expect(kept).toMatchObject({ ticket_id: TICKET, direction: 'out', day: null })
    expect(change(known())).toEqual(known())
    expect(await scan('VG1.any')).toMatchObject({ kind: 'refused', code: 'unknown_ticket' })
    expect(keepScan).toHaveBeenCalledOnce()
  })

  it('goes on asking the server when it can neither read nor keep news', async () => {
    await open({ readList: lost, forgetList: lost, waitingOf: lost, countWaiting: lost })
    await vi.advanceTimersByTimeAsync(0)
    expect(keeper.isOnline).toBe(true)
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted', isOffline: false })
    // Also after a while without a network.
    isAway = true
    expect(await scan('VG1.any')).toMatchObject({ kind: 'undecided' })
    expect(keeper.isOnline).toBe(false)
    isAway = false
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted', isOffline: false })
  })

  it('says that its account may not scan, and not that there is no network', async () => {
    await open({})
    refused = problem(403, 'forbidden')
    expect(await scan('VG1.any')).toMatchObject({ kind: 'undecided', why: 'forbidden' })
    expect([keeper.mayNotScan, keeper.isOnline]).toEqual([true, true])
    // The organizer has changed it.
    refused = null
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted' })
    expect(keeper.mayNotScan).toBe(false)
    // A code that the server does not even read says nothing of the network.
    refused = problem(400, 'invalid_request')
    await scan('VG1.any')
    expect(keeper.isOnline).toBe(true)
    refused = problem(503, 'unavailable')
    await scan('VG1.any')
    expect(keeper.isOnline).toBe(false)
  })

  it('reads news although the server does not take what waits, and says so', async () => {
    let waiting = [{ scan_id: 's1', event_id: EVENT, direction: 'in', at: NOON, gate: null }]
    const settle = async () => {
      waiting = []
    }
    const news = { ...LIST, public_keys: [], tickets: [], entries: [], void: [], replaced: [] }
    const data = { ...news, is_complete: true, timestamp: new Date(NOON).toISOString() }
    let isBroken = true
    await open({ waitingOf: async () => waiting, settle }, async route => {
      if (route === 'GET /api/scans/bundle') return { data }
      if (isBroken) throw refusal(500)
      return { data: { scans: [] } }
    })
    await expect.poll(() => keeper.list).not.toBeNull()
    expect([keeper.isUploadRefused, keeper.isOnline]).toEqual([true, true])
    isBroken = false
    await vi.advanceTimersByTimeAsync(20_000)
    expect(keeper.isUploadRefused).toBe(false)
  })

  it('says that it keeps nothing, from the start or later, until it does', async () => {
    vi.stubGlobal('indexedDB', {
      open: () => {
        throw new DOMException('private window', 'SecurityError')
      },
    })
    const store = new DeviceStore()
    await expect(store.countWaiting()).rejects.toThrow('private window')
    await open({ readList: () => store.readList(), forgetList: () => store.forgetList() })
    expect(keeper.hasStorage).toBe(false)
    expect(await scan('VG1.any')).toMatchObject({ kind: 'admitted', isOffline: false })
    keeper.close()
    let isFull = true
    const news = { ...LIST, public_keys: [], tickets: [], entries: [], void: [], replaced: [] }
    const bundle = async () => ({
      data: { ...news, is_complete: true, timestamp: new Date(NOON).toISOString() },
    })
    await open({ applyPage: async () => (isFull ? full() : undefined) }, bundle)
    await expect.poll(() => keeper.hasStorage).toBe(false)
    expect(keeper.isOnline).toBe(true)
    isFull = false
    await vi.advanceTimersByTimeAsync(20_000)
    expect(keeper.hasStorage).toBe(true)
  })

  it('opens its database again when the phone has ended the connection, once', async () => {
    let opened = 0
    let lostUntil = 1
    const later = <T>(result: T) => {
      const request: { result: T; onsuccess?: () => void } = { result }
      queueMicrotask(() => request.onsuccess?.())
      return request
    }
    const database = (number: number) => ({
      close: () => {},
      transaction() {
        if (number <= lostUntil) throw new DOMException('closed', 'InvalidStateError')
        return { objectStore: () => ({ count: () => later(7), getAll: () => later([]) }) }
      },
    })
    vi.stubGlobal('indexedDB', { open: () => later(database(++opened)) })
    const store = new DeviceStore()
    expect(await Promise.all([store.countTickets(), store.countWaiting()])).toEqual([7, 7])
    expect(opened).toBe(2)
    lostUntil = 3
    await expect(store.countTickets()).rejects.toThrow('closed')
    expect(opened).toBe(3)
    expect(await store.countTickets()).toBe(7)
    await open({})
  })
})

describe('the sound', () => {
  let state = 'suspended'
  let resume: () => Promise<void>
  let played: number[] = []
  beforeEach(() => {
    state = 'suspended'
    played = []
    resume = async () => {
      state = 'running'
    }
    vi.stubGlobal('navigator', {})
    class Context {
      currentTime = 0
      destination = {}
      onstatechange = () => {}
      get state() {
        return state
      }
      async resume() {
        await resume()
        this.onstatechange()
      }
    }
    class Node {
      gain = { setTargetAtTime() {} }
      constructor(_: unknown, { frequency }: { frequency?: number }) {
        if (frequency !== undefined) played.push(frequency)
      }
      connect<T>(to: T): T {
        return to
      }
      start() {}
      stop() {}
    }
    now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    vi.stubGlobal('AudioContext', Context)
    vi.stubGlobal('OscillatorNode', Node)
    vi.stubGlobal('GainNode', Node)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
  let now = 0
  const soon = () => new Promise(resolve => setImmediate(resolve))

  it('is not heard before the first touch, and the page can say so', async () => {
    const signals = new Signals()
    signals.onchange = vi.fn()
    signals.give('bad', true)
    expect([signals.isHeard, played]).toEqual([false, []])
    signals.start()
    await expect.poll(() => signals.onchange).toHaveBeenCalled()
    expect(signals.isHeard).toBe(true)
    signals.give('good', true)
    const yes = played.splice(0)
    signals.give('bad', true)
    expect(Math.max(...played)).toBeLessThan(Math.min(...yes))
    signals.give('bad', false)
    expect(played).toHaveLength(2)
  })

  it('comes back by itself after a call, unless it would come with the next ticket', async () => {
    const signals = new Signals()
    signals.start()
    await soon()
    state = 'interrupted'
    expect(signals.isHeard).toBe(false)
    signals.give('bad', true)
    await soon()
    expect(played).toHaveLength(2)
    state = 'interrupted'
    let touch = () => {}
    resume = () =>
      new Promise(resolve => {
        touch = resolve
      })
    signals.give('bad', true)
    now += 5_000
    touch()
    await soon()
    expect(played).toHaveLength(2)
  })
})

it('no word of the gate is left in the other language', () => {
  const texts = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : Object.values(value as object).flatMap(part => (typeof part === 'function' ? [] : texts(part)))
  const there = new Set(texts(scanEn))
  expect(texts(scanAf).filter(text => there.has(text))).toEqual([])
})
