-- Buyers read before they pay who sells to them, by which terms, and when money goes back. The address that
-- they write to is support_email.
alter table organizations
  add column legal_name text check (length(legal_name) between 1 and 200 and legal_name !~ '[[:cntrl:]]'),
  add column vat_number text check (length(vat_number) between 1 and 40 and vat_number !~ '[[:cntrl:]]'),
  add column phone text check (phone ~ '^[+(]?[0-9][0-9 ()./-]{2,38}$'),
  -- The terms of sale lie at an address of the seller, or they are this text.
  add column terms_url text check (length(terms_url) <= 1000 and terms_url ~ '^https://[^[:space:][:cntrl:]]+$'),
  add column terms text check (length(terms) between 1 and 9000),
  add column refund_rule text check (length(refund_rule) between 1 and 2000),
  add constraint organizations_terms_once check (terms is null or terms_url is null);

grant update (legal_name, vat_number, phone, terms_url, terms, refund_rule) on organizations to voelgoed_app;
