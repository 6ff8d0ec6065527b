/**
 * The seat of an event `e` by its number in the layout, to be joined. By its key alone (`limit 1`): as a
 * plain join, Postgres reads whole layouts while it has no statistics of them, so in the minutes after the
 * first layout of an installation was stored.
 */
export function seatOfEvent(ordinal: string, columns: string): string {
  return `lateral (select ${columns} from seats where organization_id = $1 and layout_id = e.layout_id
    and version = e.layout_version and ordinal = ${ordinal} limit 1)`
}
