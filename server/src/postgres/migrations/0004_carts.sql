-- Carts: a hold may get smaller (fewer places) and may change hands (a guest signs in).

-- Who took the hold and how many places it had then, where that differs from what it is now. Null: as user_id and
-- quantity say. The limit of seats and places newly taken in a while counts these.
alter table seat_holds
  add column taken_by uuid,
  add column taken_quantity integer,
  add constraint seat_holds_taken check (taken_quantity > quantity);
grant update (user_id, quantity, taken_by, taken_quantity) on seat_holds to voelgoed_app;

-- What has ended stays ended, no time is cut short, and a hold gets smaller or stays as it is. Its cap may come closer,
-- when two carts with different caps are joined.
drop trigger ended_stays_ended on seat_holds;
create trigger ended_stays_ended after update on seat_holds for each row
  when (old.status <> 'active' or new.held_until < old.held_until or new.quantity > old.quantity)
  execute function refuse_going_back();
