-- Funnels counted tickets that were moved to other seats as held and paid for once more. The funnels of
-- events with such tickets are counted again from the beginning of their journals, by the job that counts
-- all of them. Refused attempts are in no journal: their counts stay.
with moved as (
  select distinct t.organization_id, t.event_id from ticket_moves m
  join tickets t on t.organization_id = m.organization_id and t.id = m.to_ticket_id),
forgotten as (
  delete from funnel_cursors c using moved m
  where c.organization_id = m.organization_id and c.event_id = m.event_id)
delete from funnel_counts f using moved m
where f.organization_id = m.organization_id and f.event_id = m.event_id and f.step <> 'refused';
