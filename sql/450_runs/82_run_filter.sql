-- The filter that find_flow_runs and flow_run_overview take. The functions in this file turn a filter into the text of
-- one query, which has only the conditions that the filter gives. The query reads runs by one or two indexes, the
-- newest first, and stops after a fixed number of runs. So its time is bounded, however many runs there are.
create type private.run_filter as (
  search text, flow integer, deployment uuid, schedule uuid, webhook uuid, status text, starter text, since timestamptz,
  until timestamptz
);
comment on type private.run_filter is
  'Conditions for runs; a null member allows any run. search: a text in the errors, or the beginning of an id or of the starter''s public key. starter: schedule, webhook, row_start, flow, user or key. since and until: bounds of created_at; until is excluded.';

create function private.check_run_filter(filter private.run_filter)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_run_search_characters();
begin
  if char_length((check_run_filter.filter).search) not between 1 and v_most then
    perform private.fail('request_invalid', format('search: must have 1 to %s characters.', v_most));
  end if;
  if (check_run_filter.filter).status not in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped') then
    perform private.fail('request_invalid',
      'status: must be queued, running, waiting, succeeded, failed or stopped.');
  end if;
  if (check_run_filter.filter).starter not in ('schedule', 'webhook', 'row_start', 'flow', 'user', 'key') then
    perform private.fail('request_invalid', 'starter: must be schedule, webhook, row_start, flow, user or key.');
  end if;
  if (check_run_filter.filter).since not between 'epoch' and '2200-01-01'
    or (check_run_filter.filter).until not between 'epoch' and '2200-01-01'
  then
    perform private.fail('request_invalid', 'since, until: must be times between 1970 and 2200.');
  end if;
end;
$$;
comment on function private.check_run_filter(private.run_filter) is
  'Refuses a filter with an empty or too long search, an unknown status or starter, or a time that no run can have: 400 request_invalid.';

create function private.starter_kind(
  schedule_id uuid, webhook_id uuid, row_start_id uuid, started_by_run_id uuid, started_by_public_key text
)
returns text
language sql immutable security invoker
begin atomic
  select case
    when starter_kind.schedule_id is not null then 'schedule'
    when starter_kind.webhook_id is not null then 'webhook'
    when starter_kind.row_start_id is not null then 'row_start'
    when starter_kind.started_by_run_id is not null then 'flow'
    when starter_kind.started_by_public_key is not null then 'key'
    else 'user'
  end;
end;
comment on function private.starter_kind(uuid, uuid, uuid, uuid, text) is
  'The kind of starter of a run: schedule, webhook, row_start, flow (a node of another run), key (a caller with a public key) or user.';

create function private.run_sources(filter private.run_filter)
returns text
language sql immutable security invoker
begin atomic
  select case
    when (run_sources.filter).deployment is not null then format(v.source, 's.deployment_id = ($1).deployment')
    when (run_sources.filter).schedule is not null then format(v.source, 's.schedule_id = ($1).schedule')
    when (run_sources.filter).webhook is not null then format(v.source, 's.webhook_id = ($1).webhook')
    when (run_sources.filter).flow is not null then format(v.source, 's.flow_id = ($1).flow')
    else replace(format(v.source, 's.user_id = $2'), 'false', 'true') || ' union all '
      || format(v.source, 's.started_by = $2')
  end
  -- Each of these conditions has an index whose second column is the id. A run that its owner started is in both the
  -- index of owners and the index of starters. is_by_owner marks the rows from the index of owners, so that
  -- private.run_query can count such a run only once.
  from (
    select '(select s.*, false as is_by_owner from public.flow_run as s where %s and s.id >= $3 and s.id < $4 '
      'order by s.id desc limit $5)'
  ) as v (source);
end;
comment on function private.run_sources(private.run_filter) is
  'The text of a query that reads the newest runs by the index that fits a filter best. The query takes the same parameters as the query of private.run_query().';

create function private.run_query(filter private.run_filter)
returns text
language sql immutable security invoker
begin atomic
  select concat_ws(' and ',
    -- Without `offset 0`, Postgres would check the conditions in each of the two sources, before it merges them. If few
    -- runs of a source matched, Postgres would read this whole source before it returned a run.
    format(
      'select r.* from (select u.* from (%s) as u order by u.id desc offset 0) as r '
      'where (r.user_id = $2 or r.started_by = $2)', private.run_sources(run_query.filter)
    ),
    'r.parent_flow_run_id is null',
    -- A run in both the index of owners and the index of starters counts once.
    case when num_nonnulls(
      (run_query.filter).deployment, (run_query.filter).schedule, (run_query.filter).webhook, (run_query.filter).flow
    ) = 0 then '(r.is_by_owner or r.user_id <> $2)' end,
    case when (run_query.filter).flow is not null then 'r.flow_id = ($1).flow' end,
    case when (run_query.filter).schedule is not null then 'r.schedule_id = ($1).schedule' end,
    case when (run_query.filter).webhook is not null then 'r.webhook_id = ($1).webhook' end,
    case when (run_query.filter).status is not null then 'r.status = ($1).status' end,
    case when (run_query.filter).starter is not null then
      'private.starter_kind(r.schedule_id, r.webhook_id, r.row_start_id, r.started_by_run_id, r.started_by_public_key)'
        ' = ($1).starter'
    end,
    -- Unlike `like` and regular expressions, strpos and starts_with take `search` as plain text, and need only linear
    -- time.
    case when (run_query.filter).search is not null then
      '(strpos(lower(array_to_string(r.errors, chr(10))), lower(($1).search)) > 0'
        || ' or starts_with(r.started_by_public_key, ($1).search)'
        || case when (run_query.filter).search ~ '^[0-9A-Fa-f-]+$' then
          ' or starts_with(r.id::text, lower(($1).search))'
            || ' or starts_with(r.started_by::text, lower(($1).search))'
            || ' or starts_with(r.schedule_id::text, lower(($1).search))'
            || ' or starts_with(r.webhook_id::text, lower(($1).search))'
            || ' or starts_with(r.row_start_id::text, lower(($1).search))'
            || ' or starts_with(r.started_by_run_id::text, lower(($1).search))'
          else ''
        end || ')'
    end
  );
end;
comment on function private.run_query(private.run_filter) is
  'The text of a query for the root runs that match a filter and that a user owns or started. Its parameters: $1 the filter, $2 the user, $3 and $4 the bounds of the ids, $5 the most runs to read in each index. The caller''s values are only in the parameters, never in the text.';
