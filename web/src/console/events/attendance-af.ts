import type { Format } from '../../kit/words/format.ts'
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
      conflictsNote: 'Inskrywings om na te kyk',
      conflictsWhy:
        'Hekke sonder ’n netwerk het hierdie mense ingelaat. Die bediener het later daarvan gehoor.',
      conflict: {
        unknown_ticket: 'Dit is nie een van jou kaartjies nie.',
        wrong_event: 'Die kaartjie is vir ’n ander geleentheid.',
        void: 'Die kaartjie was ongeldig.',
        replaced: '’n Nuwer kaartjie was reeds uitgereik.',
        too_early: 'Die geleentheid het nog nie begin nie.',
        not_valid_today: 'Die kaartjie was vir ’n ander dag.',
        already_entered: 'Die kaartjie was reeds gebruik.',
        not_inside: 'Nie binne nie.',
        membership_not_active: 'Die persoon was nie ’n lid nie.',
        guest_not_named: 'Die gas se naam was nie gegee nie.',
        zone_full: 'Die area was vol.',
        clock_wrong:
          'Die toestel se horlosie was verkeerd: die inskrywing tel op die tyd toe die toestel daarvan vertel het. Stel die horlosie reg.',
      },
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
      once: (time, gate, device) => `${time}, ${gate}, toestel ${device}`,
    },
  }
}
