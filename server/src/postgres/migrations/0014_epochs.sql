-- The epoch of an event's history: another number whenever history could have been lost (Postgres restored,
-- or failed over to a replica that lagged). Copies of an event outside Postgres are compared by (epoch, seq).
alter table event_ledgers add column epoch bigint not null default 1 check (epoch > 0);
create trigger epoch_goes_up after update on event_ledgers for each row
  when (new.epoch < old.epoch) execute function refuse_going_back();
-- After a restore the operator gives every event a new one.
grant update (epoch) on event_ledgers to voelgoed_platform;
