-- Answers that carry no secret are stored as they are sent; those of the first edition are all sealed.
alter table idempotency_keys add column is_sealed boolean not null default true;
