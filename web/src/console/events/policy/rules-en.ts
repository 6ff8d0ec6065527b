import type { AccessMode } from '@voelgoed/core/layout/model'
import type { PolicyField } from '@voelgoed/core/policy'
import type { Format } from '../../../kit/words/format.ts'
import { POLICY_SHAPES, type PolicyGroup } from './policy-fields.ts'

type ByKey<K extends string> = Readonly<Record<K, string>>

/** Words of booking rules, days and the whitelist. */
export function rulesEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const modes: ByKey<AccessMode> = {
    public: 'Anyone',
    membership_tier: 'Members',
    role_based: 'By role',
    whitelist: 'By whitelist',
  }
  const units = { minutes: 'min', seats: 'seats', places: 'places', percent: '% full', parts: 'parts' }
  return {
    policy: {
      title: 'Booking rules',
      about: 'What all events start from. An event can have other rules, unless a rule is locked.',
      groups: {
        holding: 'Holding seats',
        choosing: 'Choosing seats',
        accessibility: 'Accessibility',
        halls: 'Which places may be sold',
      } satisfies ByKey<PolicyGroup>,
      fields: {
        default_hold_ttl_seconds: [
          'Hold time',
          'How long seats stay in a cart before they are on sale again. Checkout adds time once.',
        ],
        max_seats_per_booking: [
          'Seats per booking',
          'The most seats and places that a buyer has in an event at once.',
        ],
        max_holds_per_user: [
          'Holds per person',
          'The same count for organizations that want another number than a booking’s.',
        ],
        max_holds_per_ip: [
          'Holds per address',
          'Of all buyers behind one internet address together. A school is one address.',
        ],
        holds_per_window: [
          'New holds per person',
          'How many places one person may newly take in the time below. Slows down bots.',
        ],
        hold_window_seconds: ['… within', 'The time in which new holds are counted.'],
        release_on_declined_payment: [
          'Free seats when a payment is declined',
          'On: seats are on sale again at once. Off: the buyer tries another card while the cart lasts.',
        ],
        orphan_avoidance_strict: [
          'Leave no single seats',
          'Refuses a choice that leaves one seat alone, and offers others.',
        ],
        group_adjacency_strict: [
          'Groups sit together',
          'Best available gives seats side by side, or says no.',
        ],
        max_group_split: [
          'Parts of a group',
          'Into how many parts best available may split a group that does not fit together.',
        ],
        prefer_clustering_over_selection: [
          'Search first, map second',
          'The page opens with the search for the best seats.',
        ],
        enforce_accessibility_rules: [
          'Keep companion seats',
          'The seat beside a wheelchair place is kept for its buyer.',
        ],
        companion_release_occupancy_threshold: [
          'Free companion seats at',
          'Once a zone is this full, its companion seats are for anyone, and stay so.',
        ],
        max_wheelchair_seats_per_booking: [
          'Wheelchair places per booking',
          'Keeps one buyer from taking them all.',
        ],
        accessibility_audit_enabled: [
          'Write accessible bookings to the audit log',
          'Each hold of a wheelchair place is an entry.',
        ],
        allow_reserved_seating: ['Numbered seats', 'Events may sell zones with seats.'],
        allow_ga_seating: ['Places without a seat', 'Events may sell standing zones.'],
        allow_hybrid_ga_reserved: [
          'Both in one event',
          'An event may sell seats and standing places together.',
        ],
        allow_vip_zones: ['VIP zones', 'Events may sell zones that are marked as VIP.'],
        allowed_access_modes: ['Who a zone may be for', 'Events may sell zones of these kinds.'],
      } satisfies Readonly<Record<PolicyField, readonly [string, string]>>,
      effects: {
        default_hold_ttl_seconds: 'New holds only. Holds that are alive keep their clock.',
        max_seats_per_booking: 'From the next hold on. The page tells buyers the number.',
        max_holds_per_user: 'From the next hold on.',
        max_holds_per_ip: 'From the next hold on.',
        holds_per_window: 'From the next hold on.',
        hold_window_seconds: 'From the next hold on.',
        release_on_declined_payment: 'For payments that are declined from now on.',
        orphan_avoidance_strict: 'At the next choice and at checkout. The box office may ignore it.',
        group_adjacency_strict: 'In the next search for seats.',
        max_group_split: 'In the next search for seats.',
        prefer_clustering_over_selection: 'When the page is opened again.',
        enforce_accessibility_rules: 'From the next hold on.',
        companion_release_occupancy_threshold: 'What was freed stays free.',
        max_wheelchair_seats_per_booking: 'From the next hold on.',
        accessibility_audit_enabled: 'Buyers notice nothing.',
        allow_reserved_seating: 'Judged when an event is published or its layout changes.',
        allow_ga_seating: 'Judged when an event is published or its layout changes.',
        allow_hybrid_ga_reserved: 'Judged when an event is published or its layout changes.',
        allow_vip_zones: 'Judged when an event is published or its layout changes.',
        allowed_access_modes: 'Judged when an event is published or its layout changes.',
      } satisfies ByKey<PolicyField>,
      modes,
      units,
      noLimit: 'no limit',
      value: (field: PolicyField, value: unknown): string => {
        const shape = POLICY_SHAPES[field]
        if (value === null) return 'no limit'
        if (typeof value === 'boolean') return value ? 'on' : 'off'
        if (Array.isArray(value)) return value.map(mode => modes[mode as AccessMode]).join(', ') || 'none'
        if (shape.kind !== 'number') return ''
        const number = shape.inMinutes ? Math.round((value as number) / 0.6) / 100 : (value as number)
        return Number.isNaN(number) ? '…' : `${n(number)} ${units[shape.unit]}`
      },
      organization: 'Organization',
      thisEvent: 'This event',
      was: (value: string) => `organization: ${value}`,
      reset: 'Reset',
      locked: 'Locked by an admin',
      lockedBy: (who: string | null, when: string) => `Locked by ${who ?? 'an admin'}, ${when}`,
      sleeps: (value: string) => `The event’s own value, ${value}, applies again when this is unlocked`,
      lockedNote: (count: number) =>
        `${many(count, 'rule is', 'rules are')} locked for all events by an admin of the organization.`,
      toOrganization: 'Booking rules of the organization',
      lockIt: 'Locked for events',
      lockOf: (name: string) => `lock of “${name}”`,
      usual: (value: string) => `usual: ${value}`,
      aboutLocks:
        'Admins lock a rule, and only admins change it then. An event that said otherwise before follows the organization while the lock is there.',
      changes: 'What changes for buyers',
      noChanges: 'Nothing yet. Change a rule to see what it does.',
      save: 'Save rules',
      over: 'The event is over: its rules stay as they are.',
      readOnly: 'Your role may look at these rules, and not change them.',
    },
    days: {
      title: 'Days',
      about: (zone: string) => `On the clocks of the venue: ${zone.replaceAll('_', ' ')}`,
      add: 'Day',
      none: 'One day',
      noneNote: 'The event is on the day it starts. Add days for a festival or a run.',
      date: 'Date',
      name: 'Name',
      starts: 'Starts',
      ends: 'Ends',
      optional: 'optional',
      twice: 'This date is listed twice.',
      backwards: 'It must end after it starts.',
      remove: (date: string) => `Remove ${date}`,
      night:
        'A day without an end goes on until five in the morning: someone who comes at one in the morning enters with that day’s ticket.',
      save: 'Save days',
      over: 'The event is over: its days stay as they are.',
      readOnly: 'Your role may look at days, and not change them.',
      admission: 'At the gate',
      admissionNote: 'On which days, and how often, tickets of a category let their holder in',
      noCategories: 'There is no price category yet.',
      daysOf: (category: string) => `Days of ${category}`,
      allDays: 'Every day',
      entries: 'Entries a day',
      entriesOf: (category: string) => `Entries a day, ${category}`,
      reentry: 'Out and in again',
      saveAdmission: 'Save',
    },
    whitelist: {
      about: 'People on it may be guests in members’ zones, and book in zones with a whitelist.',
      email: 'Email address',
      note: 'Note',
      optional: 'optional',
      add: 'Add',
      paste: 'Paste a list…',
      pasteTitle: 'Add many people',
      pasteNote: (most: number) =>
        `One person a line: the address, then a note if you like. A copied spreadsheet works as well. At most ${n(most)} lines; all of them or none.`,
      csv: 'Lines',
      addAll: 'Add all',
      faults: (count: number) => `${many(count, 'line is', 'lines are')} not right, and nothing was added`,
      line: (line: number) => `Line ${n(line)}`,
      report: (added: number, known: number, total: number) =>
        `${many(added, 'person was', 'people were')} added, ${n(known)} known before. ${n(total)} on the list now.`,
      removed: (email: string, total: number) => `${email} was removed. ${n(total)} on the list now.`,
      search: 'Address or note',
      export: 'CSV',
      added: 'Added',
      remove: 'Remove',
      none: 'The list is empty',
      noneNote: 'Add people one by one, or paste a list.',
      noneMatch: 'No address and no note contains this.',
    },
  }
}

export type RuleWords = ReturnType<typeof rulesEn>
