-- A scan that was made without a network is judged by what was so then: also by whether its event was
-- cancelled already.
-- Null for events that were cancelled before this: they count as cancelled from the beginning.
alter table events add column cancelled_at timestamptz;
create function note_cancellation() returns trigger language plpgsql as $$
begin
  new.cancelled_at := clock_timestamp();
  return new;
end
$$;
create trigger note_cancellation before update on events for each row
  when (new.status = 'cancelled' and old.status <> 'cancelled') execute function note_cancellation();
