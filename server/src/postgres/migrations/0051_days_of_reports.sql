-- Reports add up orders and tickets by day. Moments are all different, so the planner took their days for as
-- many as there are rows, and had one process sort 100,000 orders where several could have added them up.
-- No statement asks for an exact moment; what it finds by a time, the histogram tells.
alter table orders alter created_at set (n_distinct = 1000);
alter table tickets alter created_at set (n_distinct = 1000);
analyze orders (created_at);
analyze tickets (created_at);
