-- A buyer who goes back and agrees to other seats, or reads another language by then, has the same checkout.
grant update (accept_alternatives, locale) on checkouts to voelgoed_app;

-- Payments that wait for the buyer are counted apart from those whose outcome is not known.
grant select (waits_for_buyer) on payments to voelgoed_platform;

-- A request to pay that waited behind the captured money had its payment looked up for a week.
update payments set look_at = null where look_at is not null and status not in ('created', 'unknown');
