-- A refund may be done without the gateway: all its money went back on the gateway's own pages (`asked` 0).
-- If a bank sends money back that went out there, what refunds here were lowered by is owed again: it is
-- taken off them and becomes a refund of its own.
alter table refunds drop constraint refunds_check,
  add constraint refunds_check check (asked >= 0 and asked < amount);
grant update (amount) on refunds to voelgoed_app;

create function refuse_refund_amount() returns trigger language plpgsql as $$
begin
  raise exception 'refund % is not lowered from % to %', old.id, old.amount, new.amount
    using errcode = 'integrity_constraint_violation';
end
$$;
-- What the gateway gave back by a refund, and what staff gave, stays in it.
create trigger lowered_by_what_went_outside before update on refunds for each row
  when (new.amount is distinct from old.amount and not coalesce(old.status = 'done' and new.status = 'done'
    and not old.by_hand and new.amount < old.amount and new.amount >= old.asked, false))
  execute function refuse_refund_amount();
