import type { Format } from '../../kit/words/format.ts'
import type { VenueWords } from './venues-en.ts'

export function venuesAf(format: Format): VenueWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    venues: {
      title: 'Lokale en uitlegte',
      count: count => many(count, 'lokaal', 'lokale'),
      add: 'Nuwe lokaal',
      search: 'Soek ’n lokaal',
      columns: { venue: 'Lokaal', address: 'Adres', zone: 'Tydsone', events: 'Geleenthede' },
      none: 'Nog geen lokale nie',
      noneNote: '’n Lokaal is waar geleenthede plaasvind. Dit het uitlegte: die sitplekke van sy sale.',
      noneMatch: 'Geen lokaal het hierdie naam of adres nie.',
      form: { add: 'Nuwe lokaal', edit: 'Wysig lokaal' },
      name: 'Naam',
      nameHint: 'Soos kopers dit sien.',
      address: 'Adres',
      addressHint: 'Word by geleenthede, op kaartjies en in kalenders gewys.',
      optional: 'opsioneel',
      zone: 'Tydsone',
      zoneHint: 'Tye van geleenthede word daarin gewys.',
      zoneOfOrganization: zone => (zone === null ? 'Die organisasie s’n' : `Die organisasie s’n: ${zone}`),
      zoneNow: time => `Tye van geleenthede word daarin gewys. Dit is nou ${time} daar.`,
      save: 'Stoor',
      create: 'Skep lokaal',
      created: 'Die lokaal is geskep. Volgende: die sitplekke van sy saal.',
      saved: 'Die lokaal is gestoor.',
      edit: 'Wysig',
      layouts: 'Uitlegte',
      newLayout: 'Nuwe uitleg',
      noLayouts: 'Nog geen uitlegte nie',
      noLayoutsNote: 'Teken die saal hier, voer ’n plan in, of kopieer ’n ander uitleg.',
      layoutColumns: {
        layout: 'Uitleg',
        versions: 'Weergawes',
        seats: 'Sitplekke',
        places: 'Plekke',
        used: 'Gebruik deur',
      },
      events: 'Geleenthede hier',
      noEvents: 'Nog geen geleentheid vind hier plaas nie.',
      usedBy: count => (count === 0 ? 'Geen geleentheid' : many(count, 'geleentheid', 'geleenthede')),
      activeVersion: version => `Weergawe ${n(version)} is aktief`,
      noActiveVersion: 'Geen aktiewe weergawe nie',
      versionCount: count => many(count, 'weergawe', 'weergawes'),
      changed: when => `gewysig ${when}`,
    },
    versionStatuses: { draft: 'Konsep', active: 'Aktief', archived: 'Geargiveer' },
  }
}
