create table public.pending_inputs (
  id uuid primary key references private.api_inputs (id) on delete cascade,
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null,
  owner_id uuid not null,
  started_by uuid,
  url text not null,
  expires_at timestamptz not null,
  title text,
  description text,
  json_schema jsonb,
  choices jsonb,
  answered_by text not null default 'anyone_with_the_link',
  flow_name text not null default '',
  starter text,
  inputs jsonb,
  constraint pending_inputs_url_length check (length(url) <= 2048),
  constraint pending_inputs_title_length check (char_length(title) <= private.limit_input_title_characters()),
  constraint pending_inputs_description_length
    check (char_length(description) <= private.limit_input_description_characters()),
  -- The runner checks the limit on the schema's JSON without spaces. The text of jsonb has a space after each comma and
  -- colon, so the check here allows twice as many bytes.
  constraint pending_inputs_json_schema_object check (
    jsonb_typeof(json_schema) = 'object' and octet_length(json_schema::text) <= 2 * private.limit_input_schema_bytes()
  ),
  constraint pending_inputs_choices_list check (
    jsonb_typeof(choices) = 'array'
      and jsonb_array_length(choices) between 1 and private.limit_input_choices()
      and octet_length(choices::text) <= 2 * private.limit_input_schema_bytes()
  ),
  constraint pending_inputs_one_form check (num_nonnulls(json_schema, choices) <= 1)
);
comment on table public.pending_inputs is
  'The open inputs of runs: one row for each waiting execution of a node api_input. Only functions write rows. The flow''s owner reads them, and those who may answer. For an input that anybody with the link may answer, these are the starter and the holder of the run token. A row is deleted when its input is answered or has expired, and when the run ends or is being stopped.';
comment on column public.pending_inputs.flow_run_id is
  'The run of the node execution that waits; node_id and times name the execution. root_flow_run_id is the root of the run''s tree: the started run, for which the run token is valid.';
comment on column public.pending_inputs.root_flow_run_id is
  'The started run. No foreign key is needed: the row is deleted with the row of private.api_inputs that has the same id, and there root_flow_run_id is a foreign key.';
comment on column public.pending_inputs.owner_id is
  'The owner of the flow. No foreign key is needed: the row is deleted with its run, the run with its flow, and the flow with its owner.';
comment on column public.pending_inputs.started_by is
  'The user who started the run; null if the starter sent only a public key, or has been deleted. There is no foreign key: a trigger sets this column to null when the user is deleted.';
comment on column public.pending_inputs.url is
  'The URL for the answer: POST submits a value, DELETE cancels. It ends in a random token. If answered_by is anyone_with_the_link, the token is the only credential. The URL is stored in two places: here, while the input is open, and in the message to webhook_url. Only the owner reads the message.';
comment on column public.pending_inputs.expires_at is 'The node fails if there is no answer by this time.';
comment on column public.pending_inputs.title is 'The question, for people; null if the node has none.';
comment on column public.pending_inputs.description is 'More about the question; null if the node has none.';
comment on column public.pending_inputs.json_schema is
  'The JSON Schema that the answer must fit. The Edge Function checks the answer as plain JSON, without type tags. Null if the answer may be any value.';
comment on column public.pending_inputs.choices is
  'The texts from which the answer must be chosen; null if the node lists none.';
comment on column public.pending_inputs.answered_by is
  'Who may answer: anyone_with_the_link, starter, owner, or listed, for the users whose confirmed e-mail addresses the node lists.';
comment on column public.pending_inputs.flow_name is 'The name of the flow that was started.';
comment on column public.pending_inputs.starter is
  'The confirmed e-mail address of the user who started the run; null if the starter has none.';
comment on column public.pending_inputs.inputs is
  'The inputs of the run that the node names in shown_inputs, {"M": {…}}. A value with too much JSON is null. Null if the node names none.';

create index pending_inputs_flow_run_id_idx on public.pending_inputs (flow_run_id);
create index pending_inputs_root_flow_run_id_idx on public.pending_inputs (root_flow_run_id, id);
create index pending_inputs_owner_id_idx on public.pending_inputs (owner_id, id);
create index pending_inputs_started_by_idx on public.pending_inputs (started_by, id) where started_by is not null;

create function private.inputs_asked_of_caller()
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg(p.id), '{}')
  from private.api_input_answerers as l
  join public.pending_inputs as p on p.id = l.input_id
  where l.email = private.confirmed_email((select auth.uid()));
$$;
comment on function private.inputs_asked_of_caller() is
  'The open inputs that the calling user may answer as one of the listed people. Definer, because no API role may read the addresses and auth.users.';
grant execute on function private.inputs_asked_of_caller() to authenticated;

alter table public.pending_inputs enable row level security;
-- An expired row stays until a worker has claimed its run. Until then, the policies hide the row, and its input can't
-- be answered.
create policy pending_inputs_select_party on public.pending_inputs for select to authenticated
  using (
    expires_at > (select now())
    and (
      owner_id = (select auth.uid())
      or answered_by in ('anyone_with_the_link', 'starter') and started_by = (select auth.uid())
      or (answered_by = 'anyone_with_the_link' or answered_by = 'starter' and started_by is null)
        and root_flow_run_id = (select private.token_run_id())
      or id = any ((select private.inputs_asked_of_caller())::uuid[])
    )
  );
create policy pending_inputs_select_token on public.pending_inputs for select to anon
  using (
    expires_at > (select now())
    and (answered_by = 'anyone_with_the_link' or answered_by = 'starter' and started_by is null)
    and root_flow_run_id = (select private.token_run_id())
  );

grant select on public.pending_inputs to anon, authenticated;
grant select on public.pending_inputs to service_role;

create function private.shown_inputs(flow_run_id uuid, names text[])
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select case when cardinality(shown_inputs.names) > 0 then jsonb_build_object('M', (
    select coalesce(
      jsonb_object_agg(
        i.key, case when octet_length(i.value::text) <= private.limit_input_shown_bytes() then i.value end
      ), '{}'
    )
    from public.flow_run as r
    cross join lateral jsonb_each(r.inputs -> 'M') as i
    where r.id = shown_inputs.flow_run_id and i.key = any (shown_inputs.names)
  )) end;
$$;
comment on function private.shown_inputs(uuid, text[]) is
  'The inputs of a run with these names, {"M": {…}}. A value with too much JSON is null. Definer, because no API role may read the inputs of called runs.';

create function private.store_api_inputs(run public.flow_run, inputs jsonb)
returns private.new_run_event[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events private.new_run_event[];
  v_news jsonb;
begin
  with given as (
    select i.*, sha256(convert_to(i.token, 'UTF8')) as token_hash
    from jsonb_to_recordset(store_api_inputs.inputs) as i (
      flow_run_id uuid, node_id uuid, times integer, token text, url text, timeout_ms bigint, position integer,
      webhook jsonb, question jsonb, answered_by text, answerers text[], shown_inputs text[]
    )
  ), asked as (
    insert into private.api_inputs (
      flow_run_id, node_id, times, root_flow_run_id, token_hash, expires_at, answered_by
    )
    select g.flow_run_id, g.node_id, g.times, run.id, g.token_hash,
      clock_timestamp() + g.timeout_ms * interval '1 millisecond', coalesce(g.answered_by, 'anyone_with_the_link')
    from given as g
    on conflict on constraint api_inputs_execution_key do nothing
    returning *
  ), pending as (
    insert into public.pending_inputs (
      id, flow_run_id, node_id, times, root_flow_run_id, owner_id, started_by, url, expires_at, title, description,
      json_schema, choices, answered_by, flow_name, starter, inputs
    )
    select a.id, a.flow_run_id, a.node_id, a.times, a.root_flow_run_id, run.user_id, run.started_by, g.url,
      a.expires_at, g.question ->> 'title', g.question ->> 'description', nullif(g.question -> 'json_schema', 'null'),
      nullif(g.question -> 'choices', 'null'), a.answered_by,
      coalesce((select f.name from public.flows as f where f.id = run.flow_id), ''),
      private.confirmed_email(run.started_by), private.shown_inputs(a.flow_run_id, g.shown_inputs)
    from asked as a
    join given as g on g.token_hash = a.token_hash
    order by a.id
  ), answerers as (
    insert into private.api_input_answerers (input_id, email)
    select distinct a.id, lower(e.email)
    from asked as a
    join given as g on g.token_hash = a.token_hash
    cross join lateral unnest(g.answerers) as e (email)
  )
  select
    array_agg((
      run.id, g.position, private.uuid_v7_time(a.id),
      ('api_input', a.flow_run_id, a.node_id, a.times, null, null, a.id)::private.run_event
    )::private.new_run_event),
    jsonb_agg(jsonb_build_object(
      'flow_run_id', run.id, 'event', 'api_input', 'url', g.webhook ->> 'url', 'headers', g.webhook -> 'headers',
      'data', jsonb_build_object('api_input', jsonb_build_object(
        'id', a.id, 'flow_run_id', a.flow_run_id, 'node_id', a.node_id, 'times', a.times, 'url', g.url,
        'expires_at', a.expires_at, 'extra', g.webhook -> 'extra'
      ) || jsonb_strip_nulls(coalesce(g.question - 'json_schema', '{}')) || case
        when jsonb_typeof(g.question -> 'json_schema') = 'object'
          then jsonb_build_object('json_schema', g.question -> 'json_schema')
        else '{}'
      end)
    ) order by g.position) filter (where g.webhook ->> 'url' is not null)
  into v_events, v_news
  from asked as a
  join given as g on g.token_hash = a.token_hash;
  if v_news is not null then
    perform private.prepare_webhooks(run.user_id, run.flow_id);
    perform private.queue_webhook_deliveries(v_news);
  end if;
  return v_events;
end;
$$;
comment on function private.store_api_inputs(public.flow_run, jsonb) is
  'Stores inputs that nodes in a root run''s tree ask for, [{flow_run_id, node_id, times, token, url, timeout_ms, position, webhook, question, answered_by, answerers, shown_inputs}], and messages to webhook.url. Returns the resulting events. A repeated call changes nothing. Definer, because no API role may write inputs.';

create function private.tg_users__after_delete_inputs()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update public.pending_inputs as p set started_by = null where p.started_by = old.id;
  return null;
end;
$$;
comment on function private.tg_users__after_delete_inputs() is
  'Sets started_by to null in the pending inputs of runs that a deleted user started. Definer, because roles that delete users may not write pending inputs.';
create trigger _600_forget_inputs after delete on auth.users
  for each row execute function private.tg_users__after_delete_inputs();

create function private.may_answer(id uuid)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select private.may_answer(a, (c.caller).user_id, (c.caller).run_id)
  from private.api_inputs as a
  cross join (select private.caller() as caller offset 0) as c
  where a.id = may_answer.id;
$$;
comment on function private.may_answer(uuid) is
  'Implements public.may_answer. Definer, because no API role may access inputs.';
grant execute on function private.may_answer(uuid) to anon, authenticated;

create function public.may_answer(input public.pending_inputs)
returns boolean
language sql stable security invoker
set search_path = ''
as $$
  select private.may_answer(may_answer.input.id);
$$;
comment on function public.may_answer(public.pending_inputs) is
  'Whether the caller may answer the input. PostgREST reads it as a column: select=*,may_answer.';
grant execute on function public.may_answer(public.pending_inputs) to anon, authenticated;
