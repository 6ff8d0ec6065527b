import type { Format } from '../../shared/words/format.ts'

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
      conflictsNote: 'Entries that should have been refused',
      conflictsWhy: 'Gates without a network let them in, and learned of it later.',
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
    },
  }
}
