-- How many orders of cancelled events wait for staff: the job counts those of all organizations.
grant select (again_at, order_id, organization_id) on refund_failures to voelgoed_platform;
