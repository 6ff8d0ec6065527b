import type { Check } from '../check.ts'

/**
 * Orders, their tickets and their money. An order without a currency is one whose seller counts the money
 * elsewhere: of its amounts nothing is known, and nothing is checked but that there are none.
 */
export const orderChecks: readonly Check[] = [
  {
    invariant: 3,
    name: 'a ticket of an order has its line, and a line its ticket',
    over: 'order_lines',
    sql: `select organization_id, order_id, ticket_id, l.position, t.event_id
      from (select l.*, o.event_id as sold_in, o.user_id as sold_to from order_lines l
          join orders o on o.organization_id = l.organization_id and o.id = l.order_id) l
        full join (select t.organization_id, t.checkout_id as order_id, t.id as ticket_id, t.event_id, t.user_id,
            t.voided_at from tickets t
          join orders o on o.organization_id = t.organization_id and o.id = t.checkout_id
          -- The line of a ticket that was moved went on with another.
          where not exists (select from ticket_moves m where m.organization_id = t.organization_id
            and m.from_ticket_id = t.id)) t
        using (organization_id, order_id, ticket_id)
      where (l.sold_in, l.sold_to) is distinct from (t.event_id, t.user_id)
        or (l.refund_id is not null) <> (t.voided_at is not null)`,
  },
  {
    invariant: 3,
    name: 'a ticket that was moved is void, and leads to a line of its order',
    over: 'tickets',
    // A ticket may be moved again: the last of them has the line.
    sql: `select m.organization_id, m.order_id, m.from_ticket_id, m.to_ticket_id, f.voided_at
      from ticket_moves m
      left join tickets f on f.organization_id = m.organization_id and f.id = m.from_ticket_id
      left join tickets t on t.organization_id = m.organization_id and t.id = m.to_ticket_id
      where f.voided_at is null or (f.checkout_id, f.event_id, f.user_id) is distinct from (m.order_id, t.event_id, t.user_id)
        or t.checkout_id is distinct from m.order_id
        or not exists (select from order_lines l where l.organization_id = m.organization_id
          and l.order_id = m.order_id and l.ticket_id = m.to_ticket_id)
        and not exists (select from ticket_moves n where n.organization_id = m.organization_id
          and n.from_ticket_id = m.to_ticket_id)`,
  },
  {
    invariant: 15,
    name: 'a captured payment has one set of tickets',
    over: 'payments',
    sql: `select p.organization_id, p.order_id, p.id as payment_id, p.status
      from payments p join orders o on o.organization_id = p.organization_id and o.id = p.order_id
      where p.status in ('captured', 'refunding', 'refunded') and (
        o.status not in ('paid', 'partly_refunded', 'refunded')
        or o.status <> 'refunded' and not exists (select from order_lines l
          where l.organization_id = p.organization_id and l.order_id = p.order_id)
        or exists (select from payments other where other.organization_id = p.organization_id
          and other.order_id = p.order_id and other.id <> p.id and other.status <> 'declined'))`,
  },
  {
    invariant: 15,
    name: 'an order is refunded as far as its tickets are void, and so is its payment',
    over: 'orders',
    sql: `select organization_id, order_id, o.status, l.valid, l.void, p.status as payment_status
      from (select organization_id, id as order_id, status from orders) o
        join (select organization_id, order_id, count(*) filter (where refund_id is null) as valid,
            count(*) filter (where refund_id is not null) as void from order_lines group by 1, 2) l
          using (organization_id, order_id)
        left join payments p using (organization_id, order_id)
      where (o.status in ('paid', 'partly_refunded', 'refunded') and o.status::text <> case
          when l.void = 0 then 'paid' when l.valid > 0 then 'partly_refunded' else 'refunded' end)
        or case p.status when 'refunded' then o.status <> 'refunded' when 'refunding' then o.status = 'paid'
            and not exists (select from refunds r where r.organization_id = p.organization_id and r.order_id = p.order_id
              and r.by_choice > 0)
          else o.status = 'refunded' end`,
  },
  {
    invariant: 15,
    name: 'a payment is being refunded as long as a refund of it is not done',
    over: 'payments',
    sql: `select p.organization_id, p.order_id, p.id as payment_id, p.status from payments p
      where p.status in ('captured', 'refunding', 'refunded') and (p.status = 'refunding') <> exists (select from refunds r
        where r.organization_id = p.organization_id and r.order_id = p.order_id and r.status <> 'done')`,
  },
  {
    invariant: 21,
    name: 'no ticket without money, or a named member of staff',
    over: 'tickets',
    // Tests give the lane commands of a payment without an order. What the server sells has one.
    sql: `select t.organization_id, t.event_id, t.id as ticket_id, t.hold_id, o.id as order_id, p.status
      from tickets t
      left join orders o on o.organization_id = t.organization_id and o.id = t.checkout_id
      left join payments p on p.organization_id = o.organization_id and p.order_id = o.id
        and p.status in ('captured', 'refunding', 'refunded') and (p.method = 'gateway' or p.recorded_by is not null)
      where p.id is null and (o.id is not null
        or not exists (select from journal_entries j where j.organization_id = t.organization_id
          and j.event_id = t.event_id and j.kind = 'payment_started' and j.body->>'checkoutId' = t.checkout_id::text)
        or exists (select from journal_entries j where j.organization_id = t.organization_id
          and j.event_id = t.event_id and j.kind = 'seat_converted' and j.source in ('system', 'admin', 'api')
          and j.body->>'checkoutId' = t.checkout_id::text))`,
  },
  {
    invariant: 21,
    name: 'what was captured less what was given back is what valid tickets cost',
    over: 'payments',
    // Fees, and a tax on top, are kept while a ticket is valid. Money without tickets goes back whole.
    // Refunds say by how much staff chose another amount.
    sql: `select organization_id, order_id, o.currency, o.total, p.captured, p.refunded, r.amount as refunds, r.by_choice,
        l.kept, l.sold
      from (select o.organization_id, o.id as order_id, o.currency, o.total,
            coalesce((select sum((f ->> 'amount')::bigint) from jsonb_array_elements(c.cart -> 'fees') f), 0)
              + case when c.cart -> 'tax' ->> 'included' = 'false' then (c.cart -> 'tax' ->> 'amount')::bigint else 0 end
              as extras
          from orders o left join checkouts c on c.organization_id = o.organization_id and c.order_id = o.id
          where o.status in ('paid', 'partly_refunded', 'refunded')) o
        left join (select organization_id, order_id, sum(amount) as captured, sum(refunded_amount) as refunded
          from payments where status in ('captured', 'refunding', 'refunded') group by 1, 2) p using (organization_id, order_id)
        left join (select organization_id, order_id, sum(amount) as amount, sum(by_choice) as by_choice,
            sum(amount) filter (where status = 'done') as done from refunds group by 1, 2) r using (organization_id, order_id)
        left join (select organization_id, order_id, sum(amount) as sold,
            sum(amount) filter (where refund_id is null) as kept, count(*) as lines, count(amount) as priced
          from order_lines group by 1, 2) l using (organization_id, order_id)
      where case when o.currency is null
        then num_nonnulls(o.total, p.captured, r.amount) > 0 or l.priced > 0 or p.refunded > 0 or r.by_choice <> 0
        else l.priced is distinct from l.lines or o.total is distinct from p.captured
          or o.total <> l.sold + o.extras
          or r.amount > p.captured
          or p.captured - coalesce(r.amount, 0) is distinct from coalesce(l.kept + o.extras, 0) - coalesce(r.by_choice, 0)
          or p.refunded is distinct from coalesce(r.done, 0) end`,
  },
  {
    invariant: 21,
    name: 'what refunds were lowered by went back on the gateway’s own pages',
    over: 'payments',
    sql: `select r.organization_id, r.order_id, r.amount as lowered, g.amount as outside
      from (select organization_id, order_id, sum(amount - asked) as amount from refunds
          where status = 'done' and not by_hand and asked is not null group by 1, 2) r
        left join (select organization_id, order_id, sum(amount) as amount from gateway_refunds
          where status <> 'failed' group by 1, 2) g using (organization_id, order_id)
      where r.amount > coalesce(g.amount, 0)`,
  },
  {
    invariant: 21,
    name: 'what went back on the gateway’s own pages was captured before',
    over: 'payments',
    sql: `select g.organization_id, g.order_id, p.status, p.amount as captured, g.amount as refunds
      from (select organization_id, order_id, sum(amount) as amount from gateway_refunds where status <> 'failed'
          group by 1, 2) g
        left join payments p on p.organization_id = g.organization_id and p.order_id = g.order_id
      where p.status is null or p.status not in ('captured', 'refunding', 'refunded') or g.amount > coalesce(p.amount, 0)`,
  },
]
