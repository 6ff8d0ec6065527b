-- The list of a gate: tickets of an event in the order in which they were sold.
create index tickets_event on tickets (organization_id, event_id, created_at, id);
