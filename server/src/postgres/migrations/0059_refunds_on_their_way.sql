-- A refund that the gateway has and has not decided on is not given up: the job reads what it last said.
grant select (told) on refunds to voelgoed_platform;
