-- The place of a seat in its hall is a number that nodes read from a layout version. Should two of them ever
-- read two versions with one number, because Postgres has lost the first, the chair itself is sold once.
create unique index tickets_valid_seat_id on tickets (organization_id, event_id, seat_id)
  where seat_id is not null and voided_at is null;
