-- How far the history went that Postgres has lost of an event: no reader that knows a seq up to this one is
-- believed to know the history that there is now. 0: none was lost. Goes up together with the epoch.
alter table event_ledgers add column lost_up_to bigint not null default 0 check (lost_up_to >= 0);
create trigger lost_up_to_goes_up after update on event_ledgers for each row
  when (new.lost_up_to < old.lost_up_to) execute function refuse_going_back();
grant update (lost_up_to) on event_ledgers to voelgoed_platform;
