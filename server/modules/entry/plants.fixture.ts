import type { Plants } from '@voelgoed/testing/plants'

export const plants: Plants = {
  'a ticket is used as often as its admission says, a day, or the conflict is listed': `
    insert into entries select (json_populate_record(e, json_build_object('id', gen_random_uuid(), 'position', 99))).*
    from entries e where direction = 'in' and scan_id is null`,

  'a void ticket lets its holder in no more, or the conflict is listed': `
    alter table tickets disable trigger user;
    update tickets t set voided_at = now() - interval '1 day' from entries e where e.ticket_id = t.id`,

  'an entry is of the event and the zone of its ticket': `
    update entries set zone_index = zone_index + 1`,

  'a zone counts those inside and the places it gave as its entries say': `
    update zone_days set inside = inside + 1`,

  'no exit waits for an entry that is known': `
    insert into early_exits (organization_id, id, event_id, ticket_id, at, device_id, scanned_by)
    select organization_id, gen_random_uuid(), event_id, ticket_id, at + interval '1 second', 'gate', scanned_by
    from entries where direction = 'in'`,
}
