import type { MapWords } from '../map/index.ts'
import type { PlaceState } from './seat-shop.ts'

/** Every word of the component. */
export interface EmbedWords {
  readonly map: MapWords
  readonly states: Readonly<Record<PlaceState, string>>
  readonly mapLabel: string
  readonly loading: string
  readonly nothing: string
  readonly release: string
  readonly checkout: string
  readonly expired: string
  readonly offline: string
  readonly taken: string
  readonly refused: string
  readonly closed: string
  readonly missing: string
  readonly unreachable: string
  seat(zone: string, row: string, seat: string | number): string
  places(zone: string, count: number): string
  left(clock: string): string
  held(name: string): string
  released(name: string): string
}

const en: EmbedWords = {
  map: {
    level: 'Level',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Show the whole hall',
    free: count => `${count} left`,
    soldOut: 'sold out',
    rows: (first, last) => (first === last ? `row ${first}` : `rows ${first}–${last}`),
  },
  states: {
    free: 'free',
    held: 'held by someone',
    sold: 'sold',
    blocked: 'not for sale',
    mine: 'held for you',
  },
  mapLabel: 'Seat map. Arrow keys go from seat to seat, Enter takes a seat or releases it.',
  loading: 'Loading the seats …',
  nothing: 'Choose your seats on the map.',
  release: 'Release',
  checkout: 'Checkout',
  expired: 'Your time has run out. The seats are on sale again.',
  offline: 'No connection. What you see may be out of date.',
  taken: 'Someone else has this seat. Please choose another.',
  refused: 'This seat cannot be held.',
  closed: 'This event is not on sale now.',
  missing: 'This event does not exist, or no longer exists.',
  unreachable: 'The ticket server cannot be reached. Please try again later.',
  seat: (zone, row, seat) => `${zone}, row ${row}, seat ${seat}`,
  places: (zone, count) => (count === 1 ? `${zone}, 1 place` : `${zone}, ${count} places`),
  left: clock => `Held for you: ${clock}`,
  held: name => `${name} is held for you.`,
  released: name => `${name} is released.`,
}

const af: EmbedWords = {
  map: {
    level: 'Vlak',
    zoomIn: 'Zoem in',
    zoomOut: 'Zoem uit',
    fit: 'Wys die hele saal',
    free: count => `${count} oor`,
    soldOut: 'uitverkoop',
    rows: (first, last) => (first === last ? `ry ${first}` : `rye ${first}–${last}`),
  },
  states: {
    free: 'vry',
    held: 'deur iemand gehou',
    sold: 'verkoop',
    blocked: 'nie te koop nie',
    mine: 'vir jou gehou',
  },
  mapLabel:
    'Kaart van die saal. Die pyltjies gaan van sitplek na sitplek, Enter neem ’n sitplek of stel dit vry.',
  loading: 'Die sitplekke word gelaai …',
  nothing: 'Kies jou sitplekke op die kaart.',
  release: 'Stel vry',
  checkout: 'Betaal',
  expired: 'Jou tyd is verby. Die sitplekke is weer te koop.',
  offline: 'Geen verbinding nie. Wat jy sien, kan verouderd wees.',
  taken: 'Iemand anders het hierdie sitplek. Kies asseblief ’n ander een.',
  refused: 'Hierdie sitplek kan nie gehou word nie.',
  closed: 'Hierdie geleentheid is nie nou te koop nie.',
  missing: 'Hierdie geleentheid bestaan nie, of nie meer nie.',
  unreachable: 'Die kaartjiebediener kan nie bereik word nie. Probeer asseblief later weer.',
  seat: (zone, row, seat) => `${zone}, ry ${row}, sitplek ${seat}`,
  places: (zone, count) => (count === 1 ? `${zone}, 1 plek` : `${zone}, ${count} plekke`),
  left: clock => `Vir jou gehou: ${clock}`,
  held: name => `${name} word vir jou gehou.`,
  released: name => `${name} is vrygestel.`,
}

/** The language of the attribute, else of the page, else of the browser; else English. */
export function embedWords(...wanted: readonly (string | null | undefined)[]): EmbedWords {
  for (const tag of wanted) {
    const code = tag?.toLowerCase().split('-')[0]
    if (code === 'af') return af
    if (code === 'en') return en
  }
  return en
}
