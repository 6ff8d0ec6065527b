/*
 * Rows that a statement finds by their whole key, to be joined: `limit 1` keeps the planner from any other
 * order. As plain joins, Postgres begins with all events of the organization, or with whole layouts, where it
 * takes them for few: in the minutes after an installation has begun, while it has no statistics, and in an
 * organization that has many more events than others.
 */

/** The event of a row. */
export function eventOf(id: string, columns: string): string {
  return `lateral (select ${columns} from events where organization_id = $1 and id = ${id} limit 1)`
}

/** The seat of an event `e` by its number in the layout. */
export function seatOfEvent(ordinal: string, columns: string): string {
  return `lateral (select ${columns} from seats where organization_id = $1 and layout_id = e.layout_id
    and version = e.layout_version and ordinal = ${ordinal} limit 1)`
}
