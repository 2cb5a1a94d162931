create table private.quotas (
  name text primary key,
  value bigint not null,
  constraint quotas_value_natural check (value >= 0)
);
comment on table private.quotas is
  'What operators set of the quotas that each user has; for the others the defaults of private.known_quotas() hold.';
comment on column private.quotas.value is 'How much a user may have at most.';
