select plan(17);

select test.create_user('owner');
select test.create_user('other');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.keep('row', to_jsonb(w)) from public.wallets as w;

create temporary view attempts as
  select * from (values
    ('user_id', $$ test.user_id('other') $$),
    ('type', $$ 'ADAPTER' $$),
    ('type', $$ 'OTHER' $$),
    ('type', 'null'),
    ('public_key', $$ '11111111111111111111111111111111' $$),
    ('created_at', $$ created_at + interval '1 microsecond' $$)
  ) as attempt (name, value);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(
  test.error($$ update public.wallets
    set user_id = user_id, type = type, public_key = public_key, created_at = created_at, name = 'whole' where true $$), null,
  'a write that sends unchanged read-only columns is accepted'
);
select is(
  test.error(format('update public.wallets set %I = %s where true', name, value)) - 'hint',
  '{
    "code": "column_read_only", "status": 400, "details": null,
    "message": "user_id, type, public_key and created_at of a wallet can''t be changed."
  }',
  format('%s can''t be changed to %s', name, value)
)
from attempts;
select is(test.error_code('update public.wallets set id = id + 1 where true'), '428C9', 'id can''t be changed');
select is(
  test.error_code($$ insert into public.wallets (id, type, public_key) values (1000, 'ADAPTER', '11111111111111111111111111111111') $$), '428C9',
  'a client can not choose the id of a wallet'
);

select test.sign_in_as_role('service_role');
select is(
  test.error_code(format('update public.wallets set %I = %s where true', name, value)), 'column_read_only',
  format('%s can''t be changed to %s by the service role either', name, value)
)
from attempts;

select test.sign_out();
select is(to_jsonb(w) - 'name', test.kept('row')::jsonb - 'name', 'the wallet is what it was') from public.wallets as w;
select is(name, 'whole', 'only the name has changed') from public.wallets;

select * from finish();
