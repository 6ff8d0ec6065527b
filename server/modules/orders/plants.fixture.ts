import type { Plants } from '@voelgoed/testing/plants'

export const plants: Plants = {
  'a ticket of an order has its line, and a line its ticket': `
    delete from order_lines where position = 1`,

  'a ticket that was moved is void, and leads to a line of its order': `
    insert into ticket_moves (organization_id, order_id, from_ticket_id, to_ticket_id, moved_by)
    select l.organization_id, l.order_id, l.ticket_id, o.ticket_id, p.recorded_by
    from order_lines l join order_lines o using (organization_id, order_id) join payments p using (organization_id, order_id)
    where l.position = 0 and o.position = 1 and l.refund_id is null limit 1`,

  'a captured payment has one set of tickets': `
    alter table orders disable trigger user;
    update orders set status = 'open' where status = 'paid'`,

  'an order is refunded as far as its tickets are void, and so is its payment': `
    alter table orders disable trigger user;
    update orders set status = 'refunded' where status = 'paid'`,

  'a payment is being refunded as long as a refund of it is not done': `
    update payments p set status = 'refunding' from refunds r
    where r.organization_id = p.organization_id and r.payment_id = p.id and p.status = 'captured'`,

  'no ticket without money, or a named member of staff': `
    alter table payments disable trigger user;
    update payments set status = 'created'`,

  'what was captured less what was given back is what valid tickets cost': `
    update order_lines set amount = amount + 1 where refund_id is null`,

  'what refunds were lowered by went back on the gateway’s own pages': `
    update refunds set asked = 0 where status = 'done' and amount > 0`,

  'what went back on the gateway’s own pages was captured before': `
    insert into gateway_refunds (organization_id, id, order_id, amount, status, told_at)
    select organization_id, 're_1', order_id, coalesce(amount, 0) + 1, 'done', now() from payments limit 1`,
}
