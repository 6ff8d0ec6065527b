-- The cursor of an event's history is made with its ledger. Before, the first node that wrote history made
-- it, and until that node had committed all others waited for the row.

insert into history_cursors (organization_id, event_id, seq)
select organization_id, event_id, 0 from event_ledgers on conflict do nothing;
