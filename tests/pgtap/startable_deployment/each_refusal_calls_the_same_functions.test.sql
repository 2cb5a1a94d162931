-- A caller could measure the time of a refusal. So a refusal must do the same work for deployments that exist and for
-- deployments that do not exist. Measured times are unreliable, so this test counts function calls.
select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('undeployed', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();

create temporary table targets (title text, target text);
insert into targets values
  ('a deployment of another', $$ id => test.kept('deployment')::uuid $$),
  ('a flow of another', $$ flow => test.kept('flow')::integer $$),
  ('a flow without deployments', $$ flow => test.kept('undeployed')::integer $$),
  ('an unknown flow', $$ flow => -1 $$),
  ('an unknown tag', $$ flow => test.kept('flow')::integer, tag => 'unstable' $$);
create temporary table callers (caller text, sign_in text, shown text);
insert into callers values
  ('a user', $$ select test.sign_in(test.user_id('other')) $$, ''),
  ('a public key', $$ select test.sign_in_as_role('anon') $$, $$, public_key => '11111111111111111111111111111111' $$);
grant select on targets, callers to public;

-- Counts the completed calls of the project's functions in a statement. Calls that end with an error are not counted.
create function pg_temp.calls(statement text) returns jsonb
language plpgsql volatile
as $$
declare
  v_before jsonb;
  v_calls jsonb;
  v_counts constant text := $count$
    select coalesce(jsonb_object_agg(f.schemaname || '.' || f.funcname, f.calls), '{}')
    from (
      select schemaname, funcname, sum(calls) as calls from pg_stat_xact_user_functions
      where schemaname in ('public', 'private', 'auth') group by schemaname, funcname
    ) as f $count$;
begin
  execute v_counts into v_before;
  perform test.error(statement);
  execute v_counts into v_calls;
  return (
    select jsonb_object_agg(n.key, n.value::bigint - coalesce((v_before ->> n.key)::bigint, 0))
    from jsonb_each_text(v_calls) as n where n.value <> coalesce(v_before ->> n.key, '0')
  );
end;
$$;
grant execute on function pg_temp.calls(text) to public;
select test.track_functions();

create function pg_temp.compare(function_name text) returns setof text
language plpgsql volatile
as $$
declare
  v_caller record;
  v_target record;
  v_unknown jsonb;
begin
  for v_caller in select * from callers loop
    perform test.sign_out();
    execute v_caller.sign_in;
    v_unknown := pg_temp.calls(format('select public.%s(id => gen_random_uuid() %s)', function_name, v_caller.shown));
    return next tap.isnt(v_unknown, null, format('%s: calls are counted for %s', function_name, v_caller.caller));
    return next tap.is(
      (
        select coalesce(jsonb_object_agg(t.title, c.calls) filter (where c.calls <> v_unknown), '{}')
        from targets as t
        cross join lateral pg_temp.calls(format('select public.%s(%s %s)', function_name, t.target, v_caller.shown)) as c (calls)
      ),
      '{}', format('%s: for %s, refusing a forbidden deployment costs as much as refusing an unknown one', function_name, v_caller.caller)
    );
  end loop;
end;
$$;
select pg_temp.compare('read_deployment');
select test.sign_out();
select pg_temp.compare('start_deployment');

select * from finish();
