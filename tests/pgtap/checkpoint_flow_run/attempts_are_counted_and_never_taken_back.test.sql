select plan(12);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));

create function pg_temp.report(changes jsonb) returns text language sql as $$
  select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, jsonb_build_array(
    test.node_run('a', is_ended => false) || '{"output": null}' || changes
  )));
  select n.attempt || coalesce(' again at ' || to_char(n.retry_at at time zone 'UTC', 'HH24:MI'), '')
    || coalesce(' with ' || (n.output ->> 'M'), '') || case when n.end_time is null then '' else ' ended' end
  from public.node_run as n;
$$;

select is(pg_temp.report(changes), expected, title)
from (values
  (1, '{}'::jsonb, '1', 'a node run without a number is the first attempt'),
  (2, '{"attempt": 1, "retry_at": "2026-01-01T10:00:00Z"}', '1 again at 10:00', 'the first attempt has failed'),
  (3, '{"attempt": 1}', '1 again at 10:00', 'a late report of its beginning changes nothing'),
  (4, '{"attempt": 1, "output": {"M": {"x": {"N": 0}}}}', '1 again at 10:00', 'an earlier output of this attempt changes nothing'),
  (5, '{"attempt": 2}', '2', 'the second attempt has begun'),
  (6, '{"attempt": 1, "retry_at": "2026-01-01T10:00:00Z"}', '2', 'a late report of the failure before changes nothing'),
  (7, '{"attempt": 2, "output": {"M": {"x": {"N": 0}}}}', '2 with {"x": {"N": 0}}', 'the output of the second attempt is stored'),
  (8, '{"attempt": 2}', '2 with {"x": {"N": 0}}', 'a late report does not remove the output'),
  (9, '{"attempt": 2, "retry_at": "2026-01-01T11:00:00Z", "output": {"M": {"x": {"N": 0}}}}', '2 again at 11:00 with {"x": {"N": 0}}', 'the second attempt has failed'),
  (10, '{"attempt": 3, "output": {"M": {"x": {"N": 0}}}}', '3 with {"x": {"N": 0}}', 'the third attempt has begun'),
  (11, '{"attempt": 3, "output": {"M": {}}, "end_time": "2026-01-01T12:00:00Z"}', '3 with {} ended', 'the third attempt has ended the node'),
  (12, '{"attempt": 4, "retry_at": "2026-01-01T13:00:00Z"}', '3 with {} ended', 'no attempt follows its end')
) as report (position, changes, expected, title)
order by position;

select * from finish();
