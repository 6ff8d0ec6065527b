import type { Format } from '../../kit/words/format.ts'

/** Words of the zones of one event. */
export function zonesEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const zones = (count: number) => many(count, 'zone', 'zones')
  return {
    zones: {
      about:
        'What this event does otherwise than its layout: which zones are open, who may book in them, and how many places zones without seats have. Other events of the same layout stay as they are.',
      over: 'The event is over: its zones stay as they were.',
      readOnly: 'Your role can look at the zones. Organizers change them.',
      search: 'Find a zone',
      none: 'No zone has this name',
      columns: { zone: 'Zone', places: 'Places', access: 'Who may book', state: 'State' },
      seats: (count: number) => many(count, 'seat', 'seats'),
      places: (count: number) => many(count, 'place', 'places'),
      open: 'Open',
      closed: 'Closed',
      changed: 'Changed for this event',
      tier: (tier: string) => `Members: ${tier}`,
      roles: (roles: string) => `By role: ${roles}`,
      choose: (zone: string) => `Choose ${zone}`,
      chooseAll: 'Choose all zones',
      chosen: (count: number) => `${zones(count)} chosen`,
      close: 'Close',
      reopen: 'Open',
      closedNow: (count: number) =>
        `${zones(count)} closed. Tickets that were sold stay valid; buyers cannot choose there any more.`,
      openNow: (count: number) => `${zones(count)} open.`,
      edit: 'Change…',
      editOf: (zone: string) => `Change ${zone}`,
      name: 'Name',
      nameHint: 'As buyers read it, on the map and on tickets.',
      type: 'Kind',
      typeFrozen: 'The kind of a zone stays as it is while the event is on sale.',
      capacity: 'Places',
      capacityHint: 'How many people it takes.',
      capacityFrozen: (least: number) => `While the event is on sale it can only grow: ${n(least)} or more.`,
      access: 'Who may book',
      accessHints: {
        public: 'Every buyer.',
        membership_tier: 'Buyers with an account that is a member of this tier.',
        role_based: 'People of your organization with one of these roles.',
        whitelist: 'People on the whitelist of this event.',
      } as Readonly<Record<string, string>>,
      tierLabel: 'Membership tier',
      tierHint: 'Exactly as it is written in the accounts of your members.',
      rolesLabel: 'Roles',
      noRole: 'Choose at least one role.',
      toWhitelist: 'To the whitelist',
      save: 'Save',
      saved: (zone: string) => `${zone} was changed.`,
      reset: 'As in the layout',
      wasReset: (zone: string) => `${zone} is as in the layout again.`,
    },
  }
}

export type ZoneWords = ReturnType<typeof zonesEn>
