-- Support finds an order by the words of its buyer and its seats, mends its contact, and keeps notes on it.

alter table orders add contact_phone text check (length(contact_phone) between 3 and 40);
grant update (contact_phone) on orders to voelgoed_app;

-- The words of an order (core/orders/order-words.ts). A search is an index scan of each of its words, and a
-- probe by the order for the others. An extension for texts is not everywhere, and none of its operators may
-- look behind row-level security.
create table order_words (
  organization_id uuid not null,
  word text collate "C" not null check (length(word) between 1 and 40),
  order_id uuid not null,
  primary key (organization_id, order_id, word),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index order_words_word on order_words (organization_id, word, order_id);

-- Words of the orders that were made before. Where a letter has an accent, its parts are told apart.
insert into order_words (organization_id, order_id, word)
select f.organization_id, f.order_id, left(w.word, 40)
from (
  select o.organization_id, o.id as order_id, f.text
  from orders o cross join lateral (values
    (o.number), (o.reference), (o.contact_name),
    (regexp_replace(o.contact_email, '(\.[^.]{0,3})+$', ''))) f (text)
  union all
  select l.organization_id, l.order_id, f.text
  from order_lines l
    join tickets t on t.organization_id = l.organization_id and t.id = l.ticket_id
    join events e on e.organization_id = t.organization_id and e.id = t.event_id
    join zone_counts c on c.organization_id = t.organization_id and c.event_id = t.event_id and c.zone_index = t.zone_index
    join zones z on z.organization_id = t.organization_id and z.layout_id = e.layout_id and z.version = e.layout_version
      and z.zone_id = c.zone_id
    cross join lateral (values (l.attendee), (z.name)) f (text)
) f cross join lateral regexp_split_to_table(
  lower(regexp_replace(normalize(f.text, nfkd), '[\u0300-\u036f]', '', 'g')), '[^[:alnum:]]+') w (word)
where w.word <> ''
union
select l.organization_id, l.order_id, left(lower(s.row_label || '-' || s.number), 40)
from order_lines l
  join tickets t on t.organization_id = l.organization_id and t.id = l.ticket_id
  join events e on e.organization_id = t.organization_id and e.id = t.event_id
  join seats s on s.organization_id = t.organization_id and s.layout_id = e.layout_id and s.version = e.layout_version
    and s.ordinal = t.ordinal
where t.ordinal is not null and s.row_label <> '';
-- Any part of an address finds it.
insert into order_words (organization_id, order_id, word)
select o.organization_id, o.id, left(substr(w.word, n), 40)
from orders o
  cross join lateral regexp_split_to_table(split_part(o.contact_email_key, '@', 1), '[^[:alnum:]]+') w (word)
  cross join lateral generate_series(2, length(w.word) - 2) n
on conflict do nothing;

call protect_tenant_table('order_words');
grant select, insert, delete on order_words to voelgoed_app;

-- Staff write them for each other; buyers never see them.
create table order_notes (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  note text not null check (length(note) between 1 and 1000),
  written_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, written_by) references users (organization_id, id)
);
create index order_notes_order on order_notes (organization_id, order_id, id);
call protect_tenant_table('order_notes');
grant select, insert on order_notes to voelgoed_app;

-- Staff may give back more than the tickets of a refund cost, or less. Books add up with this difference.
alter table refunds add by_choice bigint not null default 0;
