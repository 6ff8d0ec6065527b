import { describe, expect, test } from 'vitest'
import { checkPrices } from '../prices/check-prices.ts'
import { HALL, PIT, PRICES, STALLS } from '../prices/fixtures/prices.ts'
import type { Admission } from '../prices/price-list.ts'
import { admissionOf, type DayUse, isClockWrong, judgePlace, judgeTicket, type ScanFacts } from './scan.ts'

const EVENT = '0197a000-0000-7000-8000-000000000001' as ScanFacts['token']['eventId']
const OTHER = '0197a000-0000-7000-8000-000000000002' as ScanFacts['token']['eventId']
const ONCE: Admission = { days: 'all', entries_per_day: 1, reentry: false }
const NOON = Date.parse('2027-03-05T10:00:00Z')
const FRIDAY = '2027-03-05'
const SATURDAY = '2027-03-06'

const facts = (given: Partial<ScanFacts> = {}): ScanFacts => ({
  direction: 'in',
  at: NOON,
  token: { eventId: EVENT, version: 1 },
  gateEventId: null,
  ticket: { eventId: EVENT, version: 1, reissuedAt: null, voidedAt: null },
  event: {
    status: 'published',
    cancelledAt: null,
    timeZone: 'Africa/Johannesburg',
    startsAt: null,
    days: [FRIDAY, SATURDAY].map(date => ({ date, startsAt: null, endsAt: null })),
  },
  admission: ONCE,
  uses: [],
  ...given,
})
const use = (ins: number, outs = 0, day = FRIDAY): DayUse => ({
  day,
  ins,
  outs,
  inside: ins - outs,
  last: ins === 0 ? null : { at: NOON - 60_000, gate: 'North' },
})
/** The code of the refusal, or the day that the entry counts to. */
const verdict = (given: Partial<ScanFacts>) => {
  const judged = judgeTicket(facts(given))
  return judged.ok ? judged.day : judged.code
}
const ticket = (given: Partial<ScanFacts['ticket']>) => ({ ...facts().ticket, ...given })
const status = (name: ScanFacts['event']['status'], at = NOON) => ({
  at,
  event: { ...facts().event, status: name },
})
const cancelled = (cancelledAt: number, name: ScanFacts['event']['status'] = 'cancelled') => ({
  event: { ...facts().event, status: name, cancelledAt },
})
const WEEK_BEFORE = NOON - 7 * 86_400_000
const WEEK_AFTER = NOON + 7 * 86_400_000

test.each<[string, Partial<ScanFacts>, string]>([
  ['a valid ticket', {}, FRIDAY],
  ['at the gate of its event', { gateEventId: EVENT }, FRIDAY],
  ['at the gate of another event', { gateEventId: OTHER }, 'wrong_event'],
  [
    'a token that names another event than its ticket',
    { token: { eventId: OTHER, version: 1 } },
    'unknown_ticket',
  ],
  ['a version that was never issued', { token: { eventId: EVENT, version: 2 } }, 'unknown_ticket'],
  ['void', { ticket: ticket({ voidedAt: NOON - 1 }) }, 'void'],
  ['cancelled, at no known time', status('cancelled'), 'void'],
  ['before its event was cancelled', cancelled(NOON + 1), FRIDAY],
  ['from the moment on that its event is cancelled', cancelled(NOON), 'void'],
  ['after its event was cancelled and archived', cancelled(NOON, 'archived'), 'void'],
  ['void from this moment on', { ticket: ticket({ voidedAt: NOON }) }, 'void'],
  ['void later than it was shown', { ticket: ticket({ voidedAt: NOON + 1 }) }, FRIDAY],
  ['of a cancelled event', status('cancelled'), 'void'],
  ['replaced', { ticket: ticket({ version: 2, reissuedAt: NOON - 1 }) }, 'replaced'],
  ['replaced later than it was shown', { ticket: ticket({ version: 2, reissuedAt: NOON + 1 }) }, FRIDAY],
  ['replaced twice, no telling when', { ticket: ticket({ version: 3, reissuedAt: NOON + 1 }) }, 'replaced'],
  [
    'the paper that replaced it',
    { token: { eventId: EVENT, version: 2 }, ticket: ticket({ version: 2, reissuedAt: NOON - 1 }) },
    FRIDAY,
  ],
  ['before the event', { at: WEEK_BEFORE }, 'too_early'],
  ['before the event, but the organizer says that it has begun', status('live', WEEK_BEFORE), FRIDAY],
  ['after the event', { at: WEEK_AFTER }, 'not_valid_today'],
  ['after the event, which the organizer has not ended yet', status('live', WEEK_AFTER), 'not_valid_today'],
  ['when the event is over', status('completed'), 'not_valid_today'],
  ['for another day', { admission: { ...ONCE, days: [SATURDAY] } }, 'not_valid_today'],
  ['for this day', { admission: { ...ONCE, days: [FRIDAY] } }, FRIDAY],
])('%s', (_, given, expected) => {
  expect(verdict(given)).toBe(expected)
})

test('a refusal for the day says when the ticket is valid', () => {
  const days = [SATURDAY]
  expect(judgeTicket(facts({ admission: { ...ONCE, days } }))).toMatchObject({ validDays: days })
  expect(judgeTicket(facts({ at: WEEK_BEFORE }))).toMatchObject({ validDays: [FRIDAY, SATURDAY] })
})

test('who is let in before the first day has been let in on it', () => {
  expect(verdict({ ...status('live', WEEK_BEFORE), uses: [use(1)] })).toBe('already_entered')
})

describe('the clock of a gate without a network', () => {
  const MINUTE = 60_000
  const HOUR = 60 * MINUTE
  const times = { issuedAt: NOON - 90 * 24 * HOUR, wentLiveAt: NOON, event: facts().event }
  const undated = { ...times.event, days: [] }
  test.each<[string, number, Partial<typeof times>, boolean]>([
    ['right', NOON, {}, false],
    ['of a device whose battery was empty', 5 * MINUTE, {}, true],
    ['before the ticket was issued', NOON - HOUR, { issuedAt: NOON }, true],
    ['a little before the ticket was issued', NOON - 14 * MINUTE, { issuedAt: NOON }, false],
    ['two days before the event, which went live on its first', NOON - 48 * HOUR, {}, true],
    ['at the doors of an event that was made live after them', NOON - 11 * HOUR, {}, false],
    [
      'on the first day of an event that was made live on the second',
      NOON,
      { wentLiveAt: NOON + 30 * HOUR },
      false,
    ],
    ['a day before an event without a date went live', NOON - 24 * HOUR, { event: undated }, true],
  ])('%s', (_, madeAt, given, expected) => {
    expect(isClockWrong(madeAt, { ...times, ...given })).toBe(expected)
  })

  test('of an event that never went live only the ticket tells', () => {
    const never = { ...times, wentLiveAt: null }
    expect([isClockWrong(NOON - 48 * HOUR, never), isClockWrong(times.issuedAt - HOUR, never)]).toEqual([
      false,
      true,
    ])
  })
})

describe('how often', () => {
  const twice: Admission = { ...ONCE, entries_per_day: 2 }
  const back: Admission = { ...ONCE, reentry: true }
  const twoBack: Admission = { ...twice, reentry: true }
  test.each<[string, Admission, DayUse[], string]>([
    ['once a day, used', ONCE, [use(1)], 'already_entered'],
    ['once a day, used yesterday', ONCE, [use(1, 0, '2027-03-04')], FRIDAY],
    ['once a day, and out again', ONCE, [use(1, 1)], 'already_entered'],
    ['twice a day, used once', twice, [use(1)], FRIDAY],
    ['twice a day, used twice', twice, [use(2)], 'already_entered'],
    ['with re-entry, inside', back, [use(1)], 'already_entered'],
    ['with re-entry, out', back, [use(1, 1)], FRIDAY],
    ['with re-entry, out and in many times, inside', back, [use(7, 6)], 'already_entered'],
    ['two with re-entry, one inside', twoBack, [use(3, 2)], FRIDAY],
    ['two with re-entry, both inside', twoBack, [use(4, 2)], 'already_entered'],
    ['let in more often than they might, by gates without a network', ONCE, [use(2)], 'already_entered'],
  ])('%s', (_, admission, uses, expected) => {
    expect(verdict({ admission, uses })).toBe(expected)
  })

  test('already_entered says when and where', () => {
    expect(judgeTicket(facts({ uses: [use(1)] }))).toMatchObject({
      entered: { at: NOON - 60_000, gate: 'North' },
    })
  })
})

describe('the way out', () => {
  test.each<[string, Partial<ScanFacts>, string]>([
    ['of those who are inside', { uses: [use(1)] }, FRIDAY],
    ['of those who are not', {}, 'not_inside'],
    ['of those who have left', { uses: [use(2, 2)] }, 'not_inside'],
    ['of those who came on an earlier day', { uses: [use(1, 1), use(1, 0, '2027-03-04')] }, '2027-03-04'],
    ['the latest of the days', { uses: [use(1), use(1, 0, '2027-03-04')] }, FRIDAY],
    ['with a ticket that became void inside', { uses: [use(1)], ticket: ticket({ voidedAt: 1 }) }, FRIDAY],
    ['after the event', { uses: [use(1)], at: WEEK_AFTER }, FRIDAY],
    ['at the gate of another event', { uses: [use(1)], gateEventId: OTHER }, 'wrong_event'],
  ])('%s', (_, given, expected) => {
    expect(verdict({ ...given, direction: 'out' })).toBe(expected)
  })
})

test.each<[string, Parameters<typeof judgePlace>[0], string | null]>([
  ['nothing is counted', { direction: 'in', membership: null, zone: null }, null],
  ['there is room', { direction: 'in', membership: null, zone: { taken: 9, capacity: 10 } }, null],
  ['it is full', { direction: 'in', membership: null, zone: { taken: 10, capacity: 10 } }, 'zone_full'],
  [
    'a full zone can be left',
    { direction: 'out', membership: null, zone: { taken: 10, capacity: 10 } },
    null,
  ],
  [
    'no member',
    { direction: 'in', membership: 'membership_not_active', zone: null },
    'membership_not_active',
  ],
  ['no guest is named', { direction: 'in', membership: 'guest_not_named', zone: null }, 'guest_not_named'],
  ['the person is inside', { direction: 'in', membership: 'already_entered', zone: null }, 'already_entered'],
  [
    'who is no member any more may leave',
    { direction: 'out', membership: 'membership_not_active', zone: null },
    null,
  ],
])('the place: %s', (_, given, expected) => {
  expect(judgePlace(given)).toBe(expected)
})

test('admission follows from the category of the place', () => {
  const gold: Admission = { days: 'all', entries_per_day: 3, reentry: true }
  const checked = checkPrices({ ...PRICES, admission: { gold } }, HALL)
  if (!checked.ok) throw new Error(JSON.stringify(checked.problem))
  const seat = { ownCategory: 'gold', zoneId: STALLS, pricingRuleId: null }
  expect(admissionOf(checked.value, seat)).toEqual(gold)
  expect(admissionOf(checked.value, { ownCategory: null, zoneId: PIT, pricingRuleId: null })).toEqual(ONCE)
  expect(admissionOf(checked.value, { ...seat, ownCategory: 'constructor' })).toEqual(ONCE)
  expect(admissionOf(null, seat)).toEqual(ONCE)
})
