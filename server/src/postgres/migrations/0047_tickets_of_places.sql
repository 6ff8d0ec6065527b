-- Whether the tickets of a hold are no more than its places is asked once for each hold of a statement. Asked
-- for each ticket, an order of 5,000 standing places counted tickets 5,000 times, which took too long.

drop trigger ticket_has_its_hold on tickets;

create or replace function refuse_ticket_without_hold() returns trigger language plpgsql as $$
begin
  perform from event_seats s where s.organization_id = new.organization_id and s.event_id = new.event_id
    and s.ordinal = new.ordinal and s.status = 'sold' and s.hold_id = new.hold_id and s.ticket_id = new.id
    and s.user_id = new.user_id;
  if not found then
    raise exception 'ticket % comes from no hold that was sold to its owner', new.id using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$$;

create trigger ticket_has_its_hold after insert on tickets for each row when (new.ordinal is not null)
  execute function refuse_ticket_without_hold();

create function refuse_tickets_without_places() returns trigger language plpgsql as $$
declare
  wrong uuid;
begin
  select (array_agg(a.id))[1] into wrong from added a
  where a.ordinal is null
  group by a.organization_id, a.event_id, a.hold_id, a.zone_index, a.user_id
  having not exists (select from place_holds p where p.organization_id = a.organization_id and p.hold_id = a.hold_id
    and p.event_id = a.event_id and p.zone_index = a.zone_index and p.status = 'sold' and p.user_id = a.user_id
    and p.quantity >= (select count(*) from tickets t
      where t.organization_id = a.organization_id and t.hold_id = a.hold_id))
  limit 1;
  if found then
    raise exception 'ticket % comes from no hold that was sold to its owner', wrong using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$$;

create trigger tickets_have_their_places after insert on tickets referencing new table as added
  for each statement execute function refuse_tickets_without_places();
