SET local check_function_bodies = off;

DROP POLICY "pending_inputs_select_party" ON "public"."pending_inputs";

DROP POLICY "pending_inputs_select_token" ON "public"."pending_inputs";

DROP FUNCTION "private"."answer_input"(text, text, jsonb, text);

DROP FUNCTION "private"."cancel_input"(text, text);

DROP FUNCTION "private"."check_answer"(text, text);

DROP FUNCTION "private"."end_open_input"(uuid, private.api_inputs);

DROP FUNCTION "private"."submit_input"(text, jsonb, jsonb, text, boolean);

DROP FUNCTION "public"."cancel_input"(text, text);

DROP FUNCTION "public"."submit_input"(text, jsonb, jsonb, text, boolean);

CREATE TABLE "private"."api_input_answerers" (
  "input_id" uuid NOT NULL,
  "email"    text NOT NULL,
  CONSTRAINT "api_input_answerers_email_length" CHECK ((char_length(email) <= 320)),
  CONSTRAINT "api_input_answerers_pkey" PRIMARY KEY (input_id, email)
);

ALTER TABLE "private"."api_inputs"
  ADD COLUMN "answered_by" text NOT NULL DEFAULT 'anyone_with_the_link'::text;

ALTER TABLE "public"."node_run"
  ADD COLUMN "answered_at" timestamp WITH time zone;

ALTER TABLE "public"."node_run"
  ADD COLUMN "answered_by" text;

ALTER TABLE "public"."pending_inputs"
  ADD COLUMN "answered_by" text NOT NULL DEFAULT 'anyone_with_the_link'::text;

ALTER TABLE "public"."pending_inputs"
  ADD COLUMN "flow_name" text NOT NULL DEFAULT ''::text;

ALTER TABLE "public"."pending_inputs"
  ADD COLUMN "starter" text;

ALTER TABLE "public"."pending_inputs"
  ADD COLUMN "inputs" jsonb;

CREATE OR REPLACE FUNCTION private.answer_input (
  token           text,
  outcome         text,
  value           jsonb,
  idempotency_key text,
  answered_as     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_answer private.api_inputs;
  v_stored private.api_inputs;
begin
  v_answer.token_hash := sha256(convert_to(answer_input.token, 'UTF8'));
  v_answer.outcome := answer_input.outcome;
  v_answer.value := answer_input.value;
  v_answer.idempotency_key_hash := sha256(convert_to(answer_input.idempotency_key, 'UTF8'));
  -- Lock the job first, as claims, stops and ends of runs do. So if two answers arrive at once, the second sees the
  -- outcome of the first.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = (
    select a.root_flow_run_id from private.api_inputs as a where a.token_hash = v_answer.token_hash
  )
  for no key update;
  select a.* into v_stored from private.api_inputs as a where a.token_hash = v_answer.token_hash;

  if v_stored.outcome in ('submitted', 'cancelled') then
    if (v_stored.outcome, v_stored.value, v_stored.idempotency_key_hash) is not distinct from (v_answer.outcome,
      v_answer.value, v_answer.idempotency_key_hash)
      and answer_input.idempotency_key is not null
    then
      return;
    end if;
    perform private.fail('pending_input_answered',
      'This input was already submitted or cancelled: its URL works only once.',
      hint => 'Send requests with an Idempotency-Key: then you can repeat a request whose response was lost.');
  end if;
  if v_stored.id is null or not private.end_open_input(
    v_stored.root_flow_run_id, v_answer, private.name_of_answerer(
      (answer_input.answered_as ->> 'user_id')::uuid,
      (answer_input.answered_as ->> 'run_id')::uuid = v_stored.root_flow_run_id
    )
  ) then
    perform private.fail_for_unknown_input();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.cancel_input (
  token           text,
  idempotency_key text,
  answered_as     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.check_answer(cancel_input.token, cancel_input.idempotency_key, cancel_input.answered_as);
  perform private.answer_input(
    cancel_input.token, 'cancelled', null, cancel_input.idempotency_key, cancel_input.answered_as
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_answer (
  token           text,
  idempotency_key text,
  answered_as     jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if length(check_answer.idempotency_key) not between 1 and private.limit_idempotency_key_characters() then
    perform private.fail('idempotency_key_invalid',
      format('Idempotency-Key must have 1 to %s characters.', private.limit_idempotency_key_characters()));
  end if;
  perform from private.api_inputs as a
  where a.token_hash = sha256(convert_to(check_answer.token, 'UTF8')) and private.may_answer(
    a, (check_answer.answered_as ->> 'user_id')::uuid, (check_answer.answered_as ->> 'run_id')::uuid
  );
  if not found then
    perform private.fail_for_unknown_input();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.confirmed_email (
  user_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select lower(u.email) from auth.users as u
  where u.id = confirmed_email.user_id and u.email_confirmed_at is not null and u.deleted_at is null;
$function$;

CREATE OR REPLACE FUNCTION private.end_open_input (
  root_flow_run_id uuid,
  answer           private.api_inputs,
  answered_by      text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_most constant bigint := private.limit_answers_bytes();
  v_bytes bigint := coalesce(octet_length((end_open_input.answer).value::text), 0);
  v_job private.flow_run_jobs;
begin
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A run that has ended or is being stopped accepts no answers.
  if v_job.state = 'ended' or v_job.stop_requested_at is not null then
    return false;
  end if;
  update private.api_inputs as a
  set outcome = answer.outcome, value = answer.value, idempotency_key_hash = answer.idempotency_key_hash
  where a.token_hash = answer.token_hash and a.outcome is null and a.expires_at > clock_timestamp();
  if not found then
    return false;
  end if;
  if v_job.input_bytes + v_bytes > v_most then
    perform private.fail('inputs_too_large',
      format('value: all answers to one run together must have at most %s of JSON.', private.size_text(v_most)));
  end if;
  delete from public.pending_inputs as p
  where p.id = (select a.id from private.api_inputs as a where a.token_hash = answer.token_hash);
  -- The row of the execution was stored with the input.
  update public.node_run as n
  set answered_at = clock_timestamp(), answered_by = end_open_input.answered_by
  from private.api_inputs as a
  where a.token_hash = answer.token_hash
    and (n.flow_run_id, n.node_id, n.times) = (a.flow_run_id, a.node_id, a.times);
  update private.flow_run_jobs as j
  set input_bytes = j.input_bytes + v_bytes, has_ended_inputs = true
  where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A worker that holds the run learns of the answer at its next heartbeat. If the worker releases the run first,
  -- another worker can claim it at once.
  perform private.wake_flow_run(end_open_input.root_flow_run_id);
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.fail_for_unknown_input()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail('pending_input_not_found', 'There is no such pending input.',
    hint => 'The URL of an input stops working when the input expires, or when its run ends or is stopped. If only '
      'some people may answer, send the access token of one of them.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_history (
  flow_run_id uuid,
  max_bytes   integer DEFAULT NULL::integer
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r
    where r.id = flow_run_history.flow_run_id
    union all
    -- `offset 0`, here and below, forces one search of an index for each run of the tree. Without `offset 0`, the
    -- planner would read whole tables, because it expects too many called runs: it assumes that every run calls other
    -- runs.
    select r.id, r.parent_flow_run_id, r.end_time
    from tree
    cross join lateral (
      select c.id, c.parent_flow_run_id, c.end_time from public.flow_run as c
      where c.parent_flow_run_id = tree.id offset 0
    ) as r
  ),
  page as materialized (
    select private.flow_run_history_page(flow_run_history.flow_run_id, null, flow_run_history.max_bytes) as content
    where flow_run_history.max_bytes is not null
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id,
        'parent_node_id', r.parent_node_id, 'parent_times', r.parent_times,
        'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        -- If the history is read in pages (max_bytes), leave out the inputs of called runs. The interflow node that
        -- called the run computes the inputs again.
        'inputs', case when flow_run_history.max_bytes is null then r.inputs else '{"M": {}}' end,
        'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree cross join lateral (select c.* from public.flow_run as c where c.id = tree.id offset 0) as r
      where tree.parent_flow_run_id is not null
        -- Leave out a called run if the run and the interflow node that called it have both ended. Then nobody reads
        -- the run's result any more.
        and (r.end_time is null or not exists (
          select from public.node_run as e
          where e.flow_run_id = r.parent_flow_run_id and e.node_id = r.parent_node_id
            and e.times = r.parent_times and e.end_time is not null
        ))
    ),
    'node_runs', case
      when flow_run_history.max_bytes is not null then (select page.content -> 'node_runs' from page)
    else (
      -- If a called run has ended, only its result is needed, so leave out its node runs.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input,is_taken_over,is_pinned,answered_at,answered_by}'::text[]), '[]')
      from tree cross join lateral (select e.* from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is null
    ) end,
    'next', (select page.content -> 'next' from page),
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'flow_run_id', t.flow_run_id, 'node_id', t.node_id, 'times', t.times, 'members', t.members, 'message',
        t.message,
        'wire', t.wire, 'memo', t.memo, 'has_fees', t.has_fees,
        -- The numbers are text, because JavaScript would read a JSON number as a float.
        'slot', t.slot::text, 'last_valid_block_height', t.last_valid_block_height::text,
        'outcome', t.outcome, 'signature', t.signature,
        'requests', private.transaction_signature_requests(t.flow_run_id, t.node_id, t.times)
      ) order by t.created_at), '[]')
      from private.flow_run_transactions as t
      where t.root_flow_run_id = flow_run_history.flow_run_id
    ),
    'ended_executions', (
      -- `node_runs` does not list the executions of ended runs, but they count towards the limit of executions of the
      -- tree. Each attempt counts as one execution.
      select coalesce(sum(n.attempt), 0)
      from tree
      cross join lateral (select e.attempt from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
$function$;

CREATE OR REPLACE FUNCTION private.input_answerer (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
begin
  -- The Edge Function calls as the service role if the request has no valid credential.
  if auth.jwt() ->> 'role' is distinct from 'service_role' then
    v_caller := private.caller();
  end if;
  perform private.check_answer(
    input_answerer.token, null, jsonb_build_object('user_id', v_caller.user_id, 'run_id', v_caller.run_id)
  );
  return jsonb_build_object('user_id', v_caller.user_id, 'run_id', v_caller.run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.inputs_asked_of_caller()
  RETURNS uuid[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(array_agg(p.id), '{}')
  from private.api_input_answerers as l
  join public.pending_inputs as p on p.id = l.input_id
  where l.email = private.confirmed_email((select auth.uid()));
$function$;

CREATE OR REPLACE FUNCTION private.limit_input_shown_bytes()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 4096;

CREATE OR REPLACE FUNCTION private.may_answer (
  input   private.api_inputs,
  user_id uuid,
  run_id  uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(case (may_answer.input).answered_by
    when 'anyone_with_the_link' then true
    when 'owner' then exists (
      select from public.flow_run as r
      where r.id = (may_answer.input).root_flow_run_id and r.user_id = may_answer.user_id
    )
    when 'starter' then exists (
      select from public.flow_run as r
      where r.id = (may_answer.input).root_flow_run_id and (
        r.started_by = may_answer.user_id
        or r.started_by is null and r.started_by_public_key is not null and r.id = may_answer.run_id
      )
    )
    when 'listed' then exists (
      select from private.api_input_answerers as l
      where l.input_id = (may_answer.input).id and l.email = private.confirmed_email(may_answer.user_id)
    )
  end, false);
$function$;

CREATE OR REPLACE FUNCTION private.may_answer (
  id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.may_answer(a, (c.caller).user_id, (c.caller).run_id)
  from private.api_inputs as a
  cross join (select private.caller() as caller offset 0) as c
  where a.id = may_answer.id;
$function$;

CREATE OR REPLACE FUNCTION private.name_of_answerer (
  user_id  uuid,
  is_guest boolean
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select case
    when name_of_answerer.user_id is not null
      then coalesce(private.confirmed_email(name_of_answerer.user_id), 'user ' || name_of_answerer.user_id)
    when name_of_answerer.is_guest then 'a guest'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.shown_inputs (
  flow_run_id uuid,
  names       text[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.store_api_inputs (
  run    public.flow_run,
  inputs jsonb
)
  RETURNS private.new_run_event[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  if v_events is not null then
    perform private.announce_run_news(run.id, 'ends');
  end if;
  return v_events;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_taken_over (
  run_id     uuid,
  user_id    uuid,
  executions jsonb
)
  RETURNS private.new_run_event[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_events private.new_run_event[];
begin
  with stored as (
    -- The worker sends only the keys of the executions. So copy the values from the rows of the earlier runs.
    insert into public.node_run as n (
      flow_run_id, node_id, times, user_id, attempt, start_time, end_time, input, output, errors, error_handled,
      is_pinned, answered_at, answered_by, is_taken_over
    )
    select
      t.flow_run_id, t.node_id, t.times, e.user_id, e.attempt, e.start_time, e.end_time, e.input, e.output, e.errors,
      e.error_handled, e.is_pinned, e.answered_at, e.answered_by, true
    from jsonb_to_recordset(store_taken_over.executions) as t (
      flow_run_id uuid, node_id uuid, times integer, from_flow_run_id uuid, from_times integer
    )
    cross join lateral (
      select o.* from public.node_run as o
      where o.flow_run_id = t.from_flow_run_id and o.node_id = t.node_id and o.times = t.from_times
      offset 0
    ) as e
    where e.user_id = store_taken_over.user_id
    on conflict on constraint node_run_pkey do nothing
    returning n.flow_run_id, n.node_id, n.times, n.start_time, n.end_time
  )
  select array_agg((
    store_taken_over.run_id, e.position, e.time,
    (e.event, s.flow_run_id, s.node_id, s.times, null, null, null)::private.run_event
  )::private.new_run_event) into v_events
  from stored as s
  join jsonb_to_recordset(store_taken_over.executions) as t (
    flow_run_id uuid, node_id uuid, times integer, start_position integer, end_position integer
  ) on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  cross join lateral (
    values ('node_start', t.start_position, s.start_time), ('node_finish', t.end_position, s.end_time)
  ) as e (event, position, "time");
  return v_events;
end;
$function$;

CREATE OR REPLACE FUNCTION private.submit_input (
  token           text,
  value           jsonb,
  "values"        jsonb,
  idempotency_key text,
  is_checked      boolean,
  answered_as     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_question jsonb;
begin
  perform private.check_answer(submit_input.token, submit_input.idempotency_key, submit_input.answered_as);
  if submit_input.is_checked is not true then
    v_question := private.question_of_input(submit_input.token);
    if v_question is not null then
      return v_question;
    end if;
  end if;
  perform private.answer_input(
    submit_input.token, 'submitted', private.answer_value(submit_input.value, submit_input.values),
    submit_input.idempotency_key, submit_input.answered_as
  );
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.cancel_input (
  token           text,
  idempotency_key text  DEFAULT NULL::text,
  answered_as     jsonb DEFAULT NULL::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.cancel_input(token, idempotency_key, answered_as);
$function$;

REVOKE ALL ON FUNCTION "public"."cancel_input"(text, text, jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.input_answerer (
  token text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.input_answerer(token);
$function$;

CREATE OR REPLACE FUNCTION public.may_answer (
  input public.pending_inputs
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.may_answer(may_answer.input.id);
$function$;

REVOKE ALL ON FUNCTION "public"."may_answer"(public.pending_inputs) FROM PUBLIC, "service_role";

CREATE OR REPLACE FUNCTION public.submit_input (
  token           text,
  value           jsonb   DEFAULT NULL::jsonb,
  "values"        jsonb   DEFAULT NULL::jsonb,
  idempotency_key text    DEFAULT NULL::text,
  is_checked      boolean DEFAULT false,
  answered_as     jsonb   DEFAULT NULL::jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.submit_input(token, value, values, idempotency_key, is_checked, answered_as);
$function$;

REVOKE ALL ON FUNCTION "public"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."api_input_answerers"
  ADD CONSTRAINT "api_input_answerers_input_id_fkey" FOREIGN KEY (input_id) REFERENCES private.api_inputs(id) ON DELETE CASCADE;

ALTER TABLE "private"."api_inputs"
  ADD CONSTRAINT "api_inputs_answered_by_known" CHECK ((answered_by = ANY (ARRAY['anyone_with_the_link'::text, 'starter'::text, 'owner'::text, 'listed'::text])));

CREATE INDEX api_input_answerers_email_idx ON private.api_input_answerers USING btree (email);

CREATE POLICY "pending_inputs_select_party" ON "public"."pending_inputs"
  FOR SELECT
  TO "authenticated"
  USING
    (((expires_at > ( SELECT now() AS now)) AND ((owner_id = ( SELECT auth.uid() AS uid)) OR ((answered_by = ANY (ARRAY['anyone_with_the_link'::text, 'starter'::text])) AND
    (started_by = ( SELECT auth.uid() AS uid))) OR
    (((answered_by = 'anyone_with_the_link'::text) OR ((answered_by = 'starter'::text) AND (started_by IS NULL))) AND (root_flow_run_id = ( SELECT private.token_run_id() AS
    token_run_id))) OR (id = ANY (( SELECT private.inputs_asked_of_caller() AS inputs_asked_of_caller)::uuid[])))));

CREATE POLICY "pending_inputs_select_token" ON "public"."pending_inputs"
  FOR SELECT
  TO "anon"
  USING
    (((expires_at > ( SELECT now() AS now)) AND ((answered_by = 'anyone_with_the_link'::text) OR ((answered_by = 'starter'::text) AND (started_by IS NULL))) AND (root_flow_run_id =
    ( SELECT private.token_run_id() AS token_run_id))));

COMMENT ON COLUMN "private"."api_inputs"."answered_by" IS 'Who may answer. anyone_with_the_link: everybody who has the URL. starter: the user who started the run, or for a guest the holder of the run token. owner: the owner of the flow. listed: the users whose confirmed e-mail address is in private.api_input_answerers.';

COMMENT ON COLUMN "public"."node_run"."answered_at" IS 'For a node api_input: the time at which its input was answered or cancelled. Null while it is open, and if it expired.';

COMMENT ON COLUMN "public"."node_run"."answered_by" IS 'The person who answered or cancelled the input: a confirmed e-mail address, `user <id>`, or `a guest`. Null if the request had no credential.';

COMMENT ON COLUMN "public"."pending_inputs"."answered_by" IS 'Who may answer: anyone_with_the_link, starter, owner, or listed, for the users whose confirmed e-mail addresses the node lists.';

COMMENT ON COLUMN "public"."pending_inputs"."flow_name" IS 'The name of the flow that was started.';

COMMENT ON COLUMN "public"."pending_inputs"."inputs" IS 'The inputs of the run that the node names in shown_inputs, {"M": {…}}. A value with too much JSON is null. Null if the node names none.';

COMMENT ON COLUMN "public"."pending_inputs"."starter" IS 'The confirmed e-mail address of the user who started the run; null if the starter has none.';

COMMENT ON COLUMN "public"."pending_inputs"."url" IS 'The URL for the answer: POST submits a value, DELETE cancels. It ends in a random token. If answered_by is anyone_with_the_link, the token is the only credential. The URL is stored in two places: here, while the input is open, and in the message to webhook_url. Only the owner reads the message.';

COMMENT ON FUNCTION "private"."answer_input"(text, text, jsonb, text, jsonb) IS 'Ends the input of a token. A call that repeats an answer with its Idempotency-Key succeeds, but stores nothing. 404 pending_input_not_found; 409 pending_input_answered; 413 inputs_too_large. Does not check whether the caller may answer; call check_answer() first. Definer, because no API role may write inputs.';

COMMENT ON FUNCTION "private"."cancel_input"(text, text, jsonb) IS 'Implements public.cancel_input. Definer, because no API role may access private.api_inputs.';

COMMENT ON FUNCTION "private"."check_answer"(text, text, jsonb) IS 'Refuses an answer before its value is read: 400 idempotency_key_invalid; 404 pending_input_not_found for a token that never existed, and for a caller who may not answer. The idempotency key may be short, because it need not be secret. Definer, because no API role may access private.api_inputs.';

COMMENT ON FUNCTION "private"."confirmed_email"(uuid) IS 'The confirmed e-mail address of a user, in lower case; null if the user has none. The address comes from auth.users, because the claim of a token may be old or unconfirmed. Definer, because no API role may read auth.users.';

COMMENT ON FUNCTION "private"."end_open_input"(uuid, private.api_inputs, text) IS 'Ends the open input that the token of an answer names. Stores the answer''s outcome, value and idempotency_key_hash, writes who answered into node_run, and wakes the run. Returns false if the input is not open. 413 inputs_too_large. Definer, because no API role may write inputs or access jobs.';

COMMENT ON FUNCTION "private"."fail_for_unknown_input"() IS 'Raises the same 404 pending_input_not_found for a token that is unknown or has expired, for a caller who may not answer, and for a token of a run that has ended or is being stopped.';

COMMENT ON FUNCTION "private"."input_answerer"(text) IS 'Implements public.input_answerer. Definer, because no API role may access inputs.';

COMMENT ON FUNCTION "private"."inputs_asked_of_caller"() IS 'The open inputs that the calling user may answer as one of the listed people. Definer, because no API role may read the addresses and auth.users.';

COMMENT ON FUNCTION "private"."limit_input_shown_bytes"() IS 'Limit in bytes: an input of the run that `api_input` shows, as JSON.';

COMMENT ON FUNCTION "private"."may_answer"(private.api_inputs, uuid, uuid) IS 'Whether a caller may answer an input. The caller is a user, or the holder of the token of a run, or both. Definer, because no API role may read the addresses and auth.users.';

COMMENT ON FUNCTION "private"."may_answer"(uuid) IS 'Implements public.may_answer. Definer, because no API role may access inputs.';

COMMENT ON FUNCTION "private"."name_of_answerer"(uuid, boolean) IS 'The person who answers, for node_run: the confirmed e-mail address of a user, or the user''s id; `a guest` for the holder of the run''s token. Null for any other caller. Definer, because no API role may read auth.users.';

COMMENT ON FUNCTION "private"."shown_inputs"(uuid, text[]) IS 'The inputs of a run with these names, {"M": {…}}. A value with too much JSON is null. Definer, because no API role may read the inputs of called runs.';

COMMENT ON FUNCTION "private"."store_api_inputs"(public.flow_run, jsonb) IS 'Stores inputs that nodes in a root run''s tree ask for, [{flow_run_id, node_id, times, token, url, timeout_ms, position, webhook, question, answered_by, answerers, shown_inputs}], and messages to webhook.url. Returns the resulting events. A repeated call changes nothing. Definer, because no API role may write inputs.';

COMMENT ON FUNCTION "private"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) IS 'Implements public.submit_input. Definer, because no API role may access private.api_inputs.';

COMMENT ON FUNCTION "public"."cancel_input"(text, text, jsonb) IS 'For the Edge Function flow: cancels the input of a waiting node api_input, so that the node fails, and wakes the run. Errors as in submit_input.';

COMMENT ON FUNCTION "public"."input_answerer"(text) IS 'For the Edge Function flow: the caller as submit_input takes it, {user_id, run_id}, if the caller may answer the input with this token. 401; 404 pending_input_not_found.';

COMMENT ON FUNCTION "public"."may_answer"(public.pending_inputs) IS 'Whether the caller may answer the input. PostgREST reads it as a column: select=*,may_answer.';

COMMENT ON FUNCTION "public"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) IS 'For the Edge Function flow: submits the value for a waiting api_input node, found by the token in its URL, and wakes the run. Returns null. If the answer must be checked first, stores nothing and returns {json_schema, choices}. Errors: 400, 404, 409, 413.';

COMMENT ON TABLE "private"."api_input_answerers" IS 'The e-mail addresses, in lower case, of the people who may answer an input whose answered_by is `listed`. They are not in pending_inputs, so that those who read the input do not read the addresses.';

COMMENT ON TABLE "public"."pending_inputs" IS 'The open inputs of runs: one row for each waiting execution of a node api_input. Only functions write rows. The flow''s owner reads them, and those who may answer. For an input that anybody with the link may answer, these are the starter and the holder of the run token. A row is deleted when its input is answered or has expired, and when the run ends or is being stopped.';

REVOKE ALL ON FUNCTION "private"."answer_input"(text, text, jsonb, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answer_input"(text, text, jsonb, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."answer_input"(text, text, jsonb, text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."cancel_input"(text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."cancel_input"(text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."cancel_input"(text, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."cancel_input"(text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_answer"(text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_answer"(text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_answer"(text, text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."confirmed_email"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."confirmed_email"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."confirmed_email"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_open_input"(uuid, private.api_inputs, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_open_input"(uuid, private.api_inputs, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_open_input"(uuid, private.api_inputs, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."input_answerer"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."input_answerer"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."input_answerer"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."input_answerer"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."input_answerer"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."inputs_asked_of_caller"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."inputs_asked_of_caller"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."inputs_asked_of_caller"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."inputs_asked_of_caller"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_input_shown_bytes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_input_shown_bytes"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_input_shown_bytes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_input_shown_bytes"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_input_shown_bytes"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."may_answer"(private.api_inputs, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."may_answer"(private.api_inputs, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."may_answer"(private.api_inputs, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_answer"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."may_answer"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."may_answer"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."may_answer"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."name_of_answerer"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."name_of_answerer"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."name_of_answerer"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."shown_inputs"(uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shown_inputs"(uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."shown_inputs"(uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."cancel_input"(text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."cancel_input"(text, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."cancel_input"(text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."input_answerer"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."input_answerer"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."input_answerer"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."input_answerer"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."input_answerer"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."may_answer"(public.pending_inputs) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."may_answer"(public.pending_inputs) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."may_answer"(public.pending_inputs) TO "postgres";

REVOKE ALL ON FUNCTION "public"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."submit_input"(text, jsonb, jsonb, text, boolean, jsonb) TO "service_role";
