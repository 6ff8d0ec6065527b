-- A gate without a network may have a clock that is wrong by days. A scan that is said to have been made long
-- before its event went live is doubted, and listed as that, beside what else was wrong with it.
-- Null for events that went live before this: when is not known.
alter table events add column went_live_at timestamptz;
create function note_going_live() returns trigger language plpgsql as $$
begin
  new.went_live_at := clock_timestamp();
  return new;
end
$$;
create trigger note_going_live before update on events for each row
  when (new.status = 'live' and old.status <> 'live') execute function note_going_live();

alter table entry_conflicts drop constraint entry_conflicts_entry;
alter table entry_conflicts add constraint entry_conflicts_entry unique (organization_id, entry_id, code);
