import type { Format } from '../../kit/words/format.ts'
import { attendanceEn } from './attendance-en.ts'
import type { DraftField } from './event-draft.svelte.ts'
import { rulesEn } from './policy/rules-en.ts'
import { pricesEn } from './prices/prices-en.ts'

type ByKey<K extends string> = Readonly<Record<K, string>>

/** Words of the screens on which an event is made ready: its settings, prices, rules, days and whitelist. */
export function setupEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  return {
    save: {
      label: 'Unsaved changes',
      unsaved: (count: number) => many(count, 'unsaved change', 'unsaved changes'),
      discard: 'Discard',
      done: 'Saved.',
    },
    newEvent: { title: 'New event', button: 'New event' },
    eventSettings: {
      what: 'What it is',
      where: 'Where it is',
      when: 'When it is, and when it is on sale',
      name: 'Name',
      nameHint: 'As buyers see it in the list, on tickets and in emails.',
      description: 'Description',
      descriptionHint:
        'Plain text, on the page of the event and for search engines. A blank line separates paragraphs.',
      venue: 'Venue',
      layout: 'Layout',
      version: 'Version',
      choose: 'Choose …',
      versionOption: (version: number, places: number) =>
        `Version ${n(version)}, ${many(places, 'place', 'places')}`,
      capacity: (seats: number, standing: number) =>
        standing === 0
          ? `${many(seats, 'numbered seat', 'numbered seats')}.`
          : `${many(seats, 'numbered seat', 'numbered seats')}, and ${many(standing, 'place', 'places')} without a seat.`,
      frozen: 'Frozen when the event went on sale',
      noLayouts: 'This venue has no layout yet. Draw or import one first.',
      noActive: 'No version of this layout is active. Activate one in Venues and layouts.',
      zone: (zone: string) => `All times are on the clocks of the venue: ${zone.replaceAll('_', ' ')}`,
      optional: 'optional',
      starts: 'Event starts',
      startsHint: 'On the ticket and in the calendar of buyers.',
      ends: 'Event ends',
      endsHint: 'In the calendar of buyers. Without it they read three hours.',
      endsEarly: 'The event must end after it starts.',
      doors: 'Doors open',
      doorsHint: 'On the page of the event. If it starts after midnight, gates admit from then.',
      doorsLate: 'Doors must open before the event starts.',
      saleStart: 'Sales open',
      saleStartHint: 'Empty: as soon as it is published.',
      saleEnd: 'Sales close',
      saleEndHint: 'Empty: when the event begins; without a date, when it is completed.',
      saleEndAtStart: (when: string) =>
        `Empty: when the event begins, ${when}. The box office stops then as well.`,
      saleEndLastDay: 'Empty: when the last day begins. The box office stops then as well.',
      closesAtStart: 'With the start, and it moves with it. The box office stops then as well.',
      afterStart: 'Buyers can book after the event has begun.',
      backwards: 'Sales must close after they open; left empty, they close when the event begins.',
      create: 'Create the draft',
      createNote: 'Only staff see a draft. Prices come next.',
      created: 'The draft is created. Next: its prices.',
      save: 'Save settings',
      over: 'The event is over: its settings stay as they are.',
      noVenues: 'A venue comes first',
      noVenuesNote: 'An event is at a venue, with a layout of its hall. Make both, then come back.',
      fields: {
        name: 'Name',
        description: 'Description',
        venueId: 'Venue',
        layoutId: 'Layout',
        version: 'Version',
        starts: 'Event starts',
        ends: 'Event ends',
        doors: 'Doors open',
        saleStart: 'Sales open',
        saleEnd: 'Sales close',
      } satisfies ByKey<DraftField>,
    },
    ...pricesEn(format),
    ...rulesEn(format),
    ...attendanceEn(format),
  }
}

export type SetupWords = ReturnType<typeof setupEn>
