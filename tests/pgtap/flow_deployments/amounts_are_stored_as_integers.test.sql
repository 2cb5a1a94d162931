select plan(18);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));
create function pg_temp.stored(amount text) returns text language plpgsql as $$
begin
  execute format('update public.flow_deployments set fees = ''[["11111111111111111111111111111111", %s]]'' where true', amount);
  return (select fees #> '{0,1}' from public.flow_deployments);
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code';
end;
$$;
grant execute on function pg_temp.stored(text) to public;
select test.sign_in(test.user_id('owner'));

select is(pg_temp.stored(amount), stored, format('%s is stored as %s', amount, stored))
from (values
  ('5000', '5000'),
  ('5000.0', '5000'),
  ('5e3', '5000'),
  ('"5000"', '5000'),
  ('"005000"', '5000'),
  ('-0', '0'),
  ('18446744073709551615', '18446744073709551615'),
  ('"18446744073709551615"', '18446744073709551615'),
  ('18446744073709551615.000', '18446744073709551615')
) as good (amount, stored);

select is(pg_temp.stored(amount), 'fees_invalid', amount || ' is refused')
from (values
  ('""'), ('"-1"'), ('"+1"'), ('" 1"'), ('"1.0"'), ('"1e3"'), ('"0x10"'), ('"18446744073709551616"'), ('1e300')
) as bad (amount);

select * from finish();
