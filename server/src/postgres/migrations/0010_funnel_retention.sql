-- The funnel belongs to its event: it goes when the event goes, and counts nothing of an event that is not
-- there. Rows of such events (refused attempts at ids that no event has) are of no use to any organization.
delete from funnel_counts f where not exists (
  select from events e where e.organization_id = f.organization_id and e.id = f.event_id);
delete from funnel_cursors c where not exists (
  select from events e where e.organization_id = c.organization_id and e.id = c.event_id);

alter table funnel_counts
  add foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade;
alter table funnel_cursors
  add foreign key (organization_id, event_id) references events (organization_id, id) on delete cascade;
