import type { Format } from '../../shared/words/format.ts'
import type { attendanceEn } from './attendance-en.ts'

export function attendanceAf(format: Format): ReturnType<typeof attendanceEn> {
  const n = format.number
  return {
    attendance: {
      inside: 'Nou binne',
      noDay: 'Nog niks geskandeer nie',
      came: 'Kaartjies gebruik',
      ofTickets: count => `van ${n(count)}`,
      entries: 'Ingekom',
      exits: 'Uitgegaan',
      conflicts: 'Botsings',
      conflictsNote: 'Mense wat nie ingelaat moes word nie',
      conflictsWhy: 'Hekke sonder ’n netwerk het hulle ingelaat, en later daarvan gehoor.',
      empty: 'Nog geen kaartjie is geskandeer nie',
      emptyNote: 'Wanneer ’n hek die eerste kaartjie skandeer, is dit ’n paar sekondes later hier.',
      byZone: 'Per sone',
      zone: 'Sone',
      tickets: 'Geldige kaartjies',
      byGate: 'Per hek',
      noGate: '’n Hek sonder naam',
      inAndOut: (entries, exits) => (exits === 0 ? `${n(entries)} in` : `${n(entries)} in, ${n(exits)} uit`),
      byHour: 'Ingekom per uur',
      seat: (zone, row, seat) => `${zone}, ry ${row}, sitplek ${seat}`,
      twice: (first, firstGate, second, secondGate) =>
        `Eers om ${first}, ${firstGate}; weer om ${second}, ${secondGate}`,
    },
  }
}
