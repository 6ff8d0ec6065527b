-- The orders of a cancelled event are refunded by a job that staff can watch, stop and resume. What is left
-- to do are the orders themselves: those of the event that are paid. A run says whether the job may go on.
create table refund_runs (
  organization_id uuid not null,
  event_id uuid not null,
  status text not null check (status in ('running', 'stopped', 'done')),
  -- Who cancelled the event, or started the run: their name stands at its refunds.
  started_by uuid not null,
  started_at timestamptz not null default now(),
  -- When an order was last refunded, or the run was last started.
  moved_at timestamptz not null default now(),
  -- When the job was last here: it goes from run to run.
  visited_at timestamptz not null default now(),
  ended_at timestamptz check ((status = 'running') = (ended_at is null)),
  primary key (organization_id, event_id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  foreign key (organization_id, started_by) references users (organization_id, id)
);
create index refund_runs_running on refund_runs (visited_at) where status = 'running';
call protect_tenant_table('refund_runs');
grant select, insert, update (status, started_by, started_at, moved_at, ended_at) on refund_runs to voelgoed_app;
grant select (organization_id, event_id, status, moved_at, visited_at), update (visited_at) on refund_runs
  to voelgoed_platform;

-- Orders that a run could not refund. They are tried again a few times, then when staff resume the run.
create table refund_failures (
  organization_id uuid not null,
  order_id uuid not null,
  reason text not null check (length(reason) between 1 and 100),
  attempts integer not null default 1 check (attempts >= 1),
  -- Null: not before staff resume the run.
  again_at timestamptz,
  failed_at timestamptz not null default now(),
  primary key (organization_id, order_id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
call protect_tenant_table('refund_failures');
grant select, insert, update (reason, attempts, again_at, failed_at), delete on refund_failures to voelgoed_app;

create index orders_refundable on orders (organization_id, event_id, id) where status in ('paid', 'partly_refunded');

-- Why money goes back, and what the gateway last said of it. Staff who give money back by hand are named at
-- the refund from its beginning; until it is done the money is owed.
alter table refunds add cause text not null default 'staff' check (cause in ('staff', 'late_money', 'event_cancelled')),
  add told text check (length(told) between 1 and 100),
  drop constraint refunds_recorded,
  add constraint refunds_recorded check (key is not null or recorded_by is not null);
update refunds set cause = 'late_money' where key = order_id::text;
create index refunds_unasked on refunds (organization_id) where status = 'pending' and cause = 'event_cancelled';
grant update (told) on refunds to voelgoed_app;
