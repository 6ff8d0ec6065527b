import type { Format } from '../../kit/words/format.ts'

type ByKey<K extends string = string> = Readonly<Record<K, string>>

/** Venues and their layouts. */
export function venuesEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const versionStatuses: ByKey<'draft' | 'active' | 'archived'> = {
    draft: 'Draft',
    active: 'Active',
    archived: 'Archived',
  }
  return {
    venues: {
      title: 'Venues & layouts',
      count: (count: number) => many(count, 'venue', 'venues'),
      add: 'New venue',
      search: 'Find a venue',
      columns: { venue: 'Venue', address: 'Address', zone: 'Time zone', events: 'Events' },
      none: 'No venues yet',
      noneNote: 'A venue is where events take place. It has layouts: the seats of its halls.',
      noneMatch: 'No venue has this name or address.',
      form: { add: 'New venue', edit: 'Edit venue' },
      name: 'Name',
      nameHint: 'As buyers see it.',
      address: 'Address',
      addressHint: 'Shown with events, on tickets and in calendars.',
      optional: 'optional',
      zone: 'Time zone',
      zoneHint: 'Times of events are shown in it.',
      zoneOfOrganization: (zone: string | null) =>
        zone === null ? "The organization's" : `The organization's: ${zone}`,
      zoneNow: (time: string) => `Times of events are shown in it. It is ${time} there now.`,
      save: 'Save',
      create: 'Create venue',
      created: 'The venue is created. Next: the seats of its hall.',
      saved: 'The venue is saved.',
      edit: 'Edit',
      layouts: 'Layouts',
      newLayout: 'New layout',
      noLayouts: 'No layouts yet',
      noLayoutsNote: 'Draw the hall here, import a plan, or copy another layout.',
      layoutColumns: {
        layout: 'Layout',
        versions: 'Versions',
        seats: 'Seats',
        places: 'Places',
        used: 'Used by',
      },
      events: 'Events here',
      noEvents: 'No event takes place here yet.',
      usedBy: (count: number) => (count === 0 ? 'No event' : many(count, 'event', 'events')),
      activeVersion: (version: number) => `Version ${n(version)} is active`,
      noActiveVersion: 'No active version',
      versionCount: (count: number) => many(count, 'version', 'versions'),
      changed: (when: string) => `changed ${when}`,
    },
    versionStatuses,
  }
}

export type VenueWords = ReturnType<typeof venuesEn>
