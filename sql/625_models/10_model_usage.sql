create table private.model_day_tokens (
  deployment_id uuid primary key references public.flow_deployments (id) on delete cascade,
  day date not null,
  tokens bigint not null,
  constraint model_day_tokens_tokens_natural check (tokens >= 0)
);
comment on table private.model_day_tokens is
  'The tokens that the runs of a deployment have used on the newest day (UTC) with a call of a model, for day_tokens of model_limits. Only functions read and write it.';

create function private.model_tokens(usage jsonb)
returns bigint
language sql immutable security invoker
begin atomic
  select coalesce(sum((m.value ->> 'input_tokens')::bigint + (m.value ->> 'output_tokens')::bigint), 0)::bigint
  from jsonb_each(model_tokens.usage) as m;
end;
comment on function private.model_tokens(jsonb) is 'The tokens of flow_run.usage, of all models together.';

create function private.greater_usage(stored jsonb, told jsonb)
returns jsonb
language sql immutable security invoker
begin atomic
  select coalesce(jsonb_object_agg(m.model, jsonb_build_object(
    'requests', greatest(
      (greater_usage.stored -> m.model ->> 'requests')::bigint, (greater_usage.told -> m.model ->> 'requests')::bigint
    ),
    'input_tokens', greatest(
      (greater_usage.stored -> m.model ->> 'input_tokens')::bigint,
      (greater_usage.told -> m.model ->> 'input_tokens')::bigint
    ),
    'output_tokens', greatest(
      (greater_usage.stored -> m.model ->> 'output_tokens')::bigint,
      (greater_usage.told -> m.model ->> 'output_tokens')::bigint
    )
  )), '{}')
  from (
    select jsonb_object_keys(greater_usage.stored) as model union select jsonb_object_keys(greater_usage.told)
  ) as m;
end;
comment on function private.greater_usage(jsonb, jsonb) is
  'Joins two reports of the usage of one run. Numbers of a run only grow, so the greater number is the newer one.';
