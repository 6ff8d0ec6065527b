-- The floor of a hall that a zone is on, such as "Balcony". Layouts that were saved before say nothing of it.
alter table zones add column level text check (length(level) between 1 and 100);
