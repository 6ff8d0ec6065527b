-- Whether there is an aisle between a seat and the next one of its row. Null: the layout does not say it.
alter table seats add column aisle_after boolean;
