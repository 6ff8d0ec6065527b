import type { CLOCK_WRONG, ScanCode } from '@voelgoed/core/entry/scan'
import type { Format } from '../../kit/words/format.ts'

export function attendanceEn(format: Format) {
  const n = format.number
  return {
    attendance: {
      inside: 'Inside now',
      noDay: 'Nothing scanned yet',
      came: 'Tickets used',
      ofTickets: (count: number) => `of ${n(count)}`,
      entries: 'Entries',
      exits: 'Exits',
      conflicts: 'Conflicts',
      conflictsNote: 'Entries to look at',
      conflictsWhy: 'Gates without a network let these people in. The server heard of it later.',
      conflict: {
        unknown_ticket: 'This is not a ticket of yours.',
        wrong_event: 'The ticket is for another event.',
        void: 'The ticket was void.',
        replaced: 'A newer ticket had been issued.',
        too_early: 'The event had not begun.',
        not_valid_today: 'The ticket was for another day.',
        already_entered: 'The ticket had been used.',
        not_inside: 'Not inside.',
        membership_not_active: 'The person was not a member.',
        guest_not_named: 'The guest had not been named.',
        zone_full: 'The area was full.',
        clock_wrong:
          'The clock of the device was wrong: the entry counts at the time when the device told of it. Set its clock.',
      } satisfies Record<ScanCode | typeof CLOCK_WRONG, string>,
      empty: 'No ticket has been scanned yet',
      emptyNote: 'When a gate scans the first ticket, it is here a few seconds later.',
      byZone: 'By zone',
      zone: 'Zone',
      tickets: 'Valid tickets',
      byGate: 'By gate',
      noGate: 'A gate without a name',
      inAndOut: (entries: number, exits: number) =>
        exits === 0 ? `${n(entries)} in` : `${n(entries)} in, ${n(exits)} out`,
      byHour: 'Entries by hour',
      seat: (zone: string, row: string, seat: string) => `${zone}, row ${row}, seat ${seat}`,
      twice: (first: string, firstGate: string, second: string, secondGate: string) =>
        `First at ${first}, ${firstGate}; again at ${second}, ${secondGate}`,
      once: (time: string, gate: string, device: string) => `${time}, ${gate}, device ${device}`,
    },
  }
}
