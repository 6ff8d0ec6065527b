import type { Format } from '../../kit/words/format.ts'
import type { ZoneWords } from './zones-en.ts'

export function zonesAf(format: Format): ZoneWords {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const zones = (count: number) => many(count, 'sone', 'sones')
  return {
    zones: {
      about:
        'Wat hierdie geleentheid anders doen as sy uitleg: watter sones oop is, wie daar mag bespreek, en hoeveel plekke sones sonder sitplekke het. Ander geleenthede van dieselfde uitleg bly soos hulle is.',
      over: 'Die geleentheid is verby: sy sones bly soos hulle was.',
      readOnly: 'Jou rol kan na die sones kyk. Organiseerders verander hulle.',
      search: 'Soek ’n sone',
      none: 'Geen sone het hierdie naam nie',
      columns: { zone: 'Sone', places: 'Plekke', access: 'Wie mag bespreek', state: 'Toestand' },
      seats: count => many(count, 'sitplek', 'sitplekke'),
      places: count => many(count, 'plek', 'plekke'),
      open: 'Oop',
      closed: 'Gesluit',
      changed: 'Vir hierdie geleentheid verander',
      tier: tier => `Lede: ${tier}`,
      roles: roles => `Volgens rol: ${roles}`,
      choose: zone => `Kies ${zone}`,
      chooseAll: 'Kies alle sones',
      chosen: count => `${zones(count)} gekies`,
      close: 'Sluit',
      reopen: 'Maak oop',
      closedNow: count =>
        `${zones(count)} gesluit. Kaartjies wat verkoop is, bly geldig; kopers kan nie meer daar kies nie.`,
      openNow: count => `${zones(count)} oop.`,
      edit: 'Verander…',
      editOf: zone => `Verander ${zone}`,
      name: 'Naam',
      nameHint: 'Soos kopers dit lees, op die kaart en op kaartjies.',
      type: 'Soort',
      typeFrozen: 'Die soort sone bly soos dit is terwyl die geleentheid te koop is.',
      capacity: 'Plekke',
      capacityHint: 'Hoeveel mense daar kan wees.',
      capacityFrozen: least => `Terwyl die geleentheid te koop is, kan dit net groei: ${n(least)} of meer.`,
      access: 'Wie mag bespreek',
      accessHints: {
        public: 'Elke koper.',
        membership_tier: 'Kopers met ’n rekening wat ’n lid van hierdie vlak is.',
        role_based: 'Mense van jou organisasie met een van hierdie rolle.',
        whitelist: 'Mense op die witlys van hierdie geleentheid.',
      },
      tierLabel: 'Lidmaatskapvlak',
      tierHint: 'Presies soos dit in die rekeninge van jou lede geskryf is.',
      rolesLabel: 'Rolle',
      noRole: 'Kies ten minste een rol.',
      toWhitelist: 'Na die witlys',
      save: 'Stoor',
      saved: zone => `${zone} is verander.`,
      reset: 'Soos in die uitleg',
      wasReset: zone => `${zone} is weer soos in die uitleg.`,
    },
  }
}
