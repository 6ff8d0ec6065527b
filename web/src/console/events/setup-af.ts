import type { Format } from '../../kit/words/format.ts'
import { attendanceAf } from './attendance-af.ts'
import { rulesAf } from './policy/rules-af.ts'
import { pricesAf } from './prices/prices-af.ts'
import type { SetupWords } from './setup-en.ts'

export function setupAf(format: Format): SetupWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    save: {
      label: 'Ongestoorde veranderings',
      unsaved: count => many(count, 'ongestoorde verandering', 'ongestoorde veranderings'),
      discard: 'Gooi weg',
      done: 'Gestoor.',
    },
    newEvent: { title: 'Nuwe geleentheid', button: 'Nuwe geleentheid' },
    eventSettings: {
      what: 'Wat dit is',
      where: 'Waar dit is',
      when: 'Wanneer dit is, en wanneer dit te koop is',
      name: 'Naam',
      nameHint: 'Soos kopers dit in die lys, op kaartjies en in e-posse sien.',
      description: 'Beskrywing',
      descriptionHint:
        'Gewone teks, op die geleentheid se bladsy en vir soekenjins. ’n Leë reël skei paragrawe.',
      venue: 'Lokaal',
      layout: 'Uitleg',
      version: 'Weergawe',
      choose: 'Kies …',
      versionOption: (version, places) => `Weergawe ${n(version)}, ${many(places, 'plek', 'plekke')}`,
      capacity: (seats, standing) =>
        standing === 0
          ? `${many(seats, 'genommerde sitplek', 'genommerde sitplekke')}.`
          : `${many(seats, 'genommerde sitplek', 'genommerde sitplekke')}, en ${many(standing, 'plek', 'plekke')} sonder stoel.`,
      frozen: 'Gevries toe die geleentheid te koop gekom het',
      noLayouts: 'Hierdie lokaal het nog geen uitleg nie. Teken eers een, of voer een in.',
      noActive: 'Geen weergawe van hierdie uitleg is aktief nie. Aktiveer een by Lokale en uitlegte.',
      zone: zone => `Alle tye is volgens die lokaal se horlosies: ${zone.replaceAll('_', ' ')}`,
      optional: 'opsioneel',
      starts: 'Geleentheid begin',
      startsHint: 'Op die kaartjie en in kopers se kalender.',
      ends: 'Geleentheid eindig',
      endsHint: 'In kopers se kalender. Daarsonder lees hulle drie uur.',
      endsEarly: 'Die geleentheid moet eindig nadat dit begin.',
      doors: 'Deure open',
      doorsHint: 'Op die geleentheid se bladsy. As dit na middernag begin, laat hekke van dan af in.',
      doorsLate: 'Deure moet open voordat die geleentheid begin.',
      saleStart: 'Verkope open',
      saleStartHint: 'Leeg: sodra dit gepubliseer is.',
      saleEnd: 'Verkope sluit',
      saleEndHint: 'Leeg: wanneer die geleentheid begin; sonder ’n datum, wanneer dit afgehandel is.',
      saleEndAtStart: when =>
        `Leeg: wanneer die geleentheid begin, ${when}. Die kaartjieskantoor hou dan ook op.`,
      saleEndLastDay: 'Leeg: wanneer die laaste dag begin. Die kaartjieskantoor hou dan ook op.',
      closesAtStart: 'Met die begin, en dit skuif saam. Die loket hou dan ook op.',
      afterStart: 'Kopers kan nog bespreek nadat die geleentheid begin het.',
      backwards:
        'Verkope moet sluit nadat dit open; as dit leeg is, sluit dit wanneer die geleentheid begin.',
      create: 'Skep die konsep',
      createNote: 'Net personeel sien ’n konsep. Pryse kom volgende.',
      created: 'Die konsep is geskep. Volgende: sy pryse.',
      save: 'Stoor instellings',
      over: 'Die geleentheid is verby: sy instellings bly soos hulle is.',
      noVenues: 'Eers ’n lokaal',
      noVenuesNote:
        '’n Geleentheid is by ’n lokaal, met ’n uitleg van sy saal. Maak albei, en kom dan terug.',
      fields: {
        name: 'Naam',
        description: 'Beskrywing',
        venueId: 'Lokaal',
        layoutId: 'Uitleg',
        version: 'Weergawe',
        starts: 'Geleentheid begin',
        ends: 'Geleentheid eindig',
        doors: 'Deure open',
        saleStart: 'Verkope open',
        saleEnd: 'Verkope sluit',
      },
    },
    ...pricesAf(format),
    ...rulesAf(format),
    ...attendanceAf(format),
  }
}
