-- Each setting of a deployment is a column of this table. CONTRIBUTING.md, "A new deployment setting", lists the other
-- files to change for a new setting.

create table public.flow_deployments (
  id uuid primary key,
  created_at timestamptz not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  entrypoint integer not null,
  snapshot_hash bytea not null references private.flow_snapshots (hash),
  input_names text[] not null default '{}',
  name text not null default '',
  description text not null default '',
  icon_url text,
  start_permission text not null default 'Owner',
  output_instructions boolean not null default false,
  action_identity text,
  fees jsonb not null default '[]',
  chain_network jsonb not null,
  max_starts_per_minute integer,
  max_runs_in_flight integer,
  on_end jsonb,
  queue_key text,
  queue_key_shared boolean not null default false,
  max_running_per_key integer,
  max_starts_per_key integer,
  key_period_seconds integer,
  debounce_seconds integer,
  debounce_max_seconds integer,
  typed_inputs jsonb,
  model_limits jsonb,
  constraint flow_deployments_entrypoint_fkey foreign key (entrypoint, user_id) references public.flows (id, user_id)
    on delete cascade,
  constraint flow_deployments_id_entrypoint_user_id_key unique (id, entrypoint, user_id),
  constraint flow_deployments_name_length check (char_length(name) <= private.limit_name_characters()),
  constraint flow_deployments_description_length
    check (char_length(description) <= private.limit_description_characters()),
  constraint flow_deployments_icon_url_https check (private.is_icon_url(icon_url)),
  constraint flow_deployments_start_permission_known check (
    start_permission in ('Owner', 'Authenticated', 'Anonymous')
  ),
  constraint flow_deployments_action_identity_public_key check (private.is_public_key(action_identity)),
  constraint flow_deployments_fees_valid check (private.is_fees(fees)),
  constraint flow_deployments_chain_network_valid check (private.is_chain_network(chain_network)),
  constraint flow_deployments_max_starts_per_minute_natural check (max_starts_per_minute >= 0),
  constraint flow_deployments_max_runs_in_flight_natural check (max_runs_in_flight >= 0),
  constraint flow_deployments_queue_key_known check (queue_key = 'caller' or queue_key = any (input_names)),
  constraint flow_deployments_max_running_per_key_positive check (max_running_per_key >= 1),
  constraint flow_deployments_max_starts_per_key_positive check (max_starts_per_key >= 1),
  constraint flow_deployments_key_period_seconds_range check (
    key_period_seconds between 1 and private.limit_key_period_seconds()
  ),
  constraint flow_deployments_max_starts_per_key_has_period check (
    (max_starts_per_key is null) = (key_period_seconds is null)
  ),
  constraint flow_deployments_debounce_seconds_range check (
    debounce_seconds between 1 and private.limit_key_period_seconds()
  ),
  constraint flow_deployments_debounce_seconds_alone check (
    debounce_seconds is null or max_starts_per_key is null and not queue_key_shared
  ),
  constraint flow_deployments_debounce_max_seconds_range check (
    debounce_max_seconds between debounce_seconds and private.limit_key_period_seconds()
  ),
  constraint flow_deployments_debounce_max_seconds_has_debounce check (
    debounce_max_seconds is null or debounce_seconds is not null
  ),
  constraint flow_deployments_on_end_valid check (on_end is null or private.on_end_faults(on_end) = '[]'),
  constraint flow_deployments_model_limits_valid check (
    model_limits is null or private.model_limits_faults(model_limits) = '[]'
  )
);
comment on table public.flow_deployments is
  'Frozen flows. id, created_at, user_id, entrypoint, snapshot_hash, input_names and typed_inputs never change; the owner may change the other columns.';
comment on column public.flow_deployments.id is
  'UUID version 7. A newer deployment of a flow has a greater id than an older one.';
comment on column public.flow_deployments.created_at is 'The time contained in the id.';
comment on column public.flow_deployments.entrypoint is 'The flow that was deployed.';
comment on column public.flow_deployments.snapshot_hash is
  'The hash of the frozen graph. Deployments with the same hash run the same graph.';
comment on column public.flow_deployments.input_names is
  'The names of the frozen flow''s inputs. A start with any other input name is refused. The names are stored here, so that a start needs to read only this row and not the snapshot.';
comment on column public.flow_deployments.typed_inputs is
  'The inputs whose author chose a type, label, help, choices or `required`: {"<name>": {type, title, help, required, choices, default}}. Starts are checked by them. Null if there are none.';
comment on column public.flow_deployments.name is
  'The name shown to people who may start the deployment. Initially the flow''s name at the deploy.';
comment on column public.flow_deployments.description is
  'The description shown to people who may start the deployment. Initially the beginning of the flow''s description at the deploy.';
comment on column public.flow_deployments.icon_url is 'The https address of the deployment''s icon.';
comment on column public.flow_deployments.start_permission is
  'The callers who may start the deployment. Owner: its owner. Authenticated: every user who has signed up; an anonymous sign-in is not enough. Anonymous: anybody who sends a public key.';
comment on column public.flow_deployments.output_instructions is
  'Whether runs output the transaction instead of sending it.';
comment on column public.flow_deployments.action_identity is
  'The public key of the owner''s wallet that is the action identity: it signs a memo in each action transaction, so that the run can find this transaction. Null: no action identity.';
comment on column public.flow_deployments.fees is
  'List of [address, lamports] pairs. A run adds these transfers to each of its transactions, until a transaction with them is confirmed.';
comment on column public.flow_deployments.chain_network is
  'The Solana network of the deployment''s runs: {url, cluster}.';
comment on column public.flow_deployments.max_starts_per_minute is
  'The most starts in one calendar minute, counted over all callers except the owner. 0 allows no start; null stands for the default of private.start_limits. The owner is not limited.';
comment on column public.flow_deployments.max_runs_in_flight is
  'The most runs that may be under way at the same time, counted over all callers except the owner. 0 allows no run; null stands for the default of private.start_limits. The owner is not limited.';
comment on column public.flow_deployments.on_end is
  'The outgoing webhook of the runs, {url, events}; the events are succeeded, failed, stopped and signature_request. Null: no webhook. A run keeps the value that was set when it started.';

comment on column public.flow_deployments.queue_key is
  'The key of the limits by key: the name of an input, or caller. Null: all runs of the deployment have the same key.';
comment on column public.flow_deployments.queue_key_shared is
  'If queue_key is an input: whether runs of different callers may have the same key. If false, each caller but the owner has keys of its own.';
comment on column public.flow_deployments.max_running_per_key is
  'The most runs of one key that may be under way at the same time. Further runs wait. A run keeps its place until it ends, also while it waits for a time, a signature or an input. Null: no limit.';
comment on column public.flow_deployments.max_starts_per_key is
  'The most runs of one key that may begin in key_period_seconds: they begin at least key_period_seconds / max_starts_per_key apart. Further runs wait. Null: no limit.';
comment on column public.flow_deployments.key_period_seconds is
  'The period of max_starts_per_key. Both are null, or neither.';
comment on column public.flow_deployments.debounce_seconds is
  'A run begins so many seconds after the newest start of its key. A start whose run has not begun replaces the inputs of that run instead of starting another one. Each caller has keys of its own. Null: runs begin at once.';
comment on column public.flow_deployments.debounce_max_seconds is
  'A run begins at the latest so many seconds after its first start, even if debounce_seconds would postpone it further. Null: no bound.';
comment on column public.flow_deployments.model_limits is
  'The most tokens of models, {run_tokens, day_tokens}: of one run with its called runs, and of all runs on one day (UTC). A call of a model that begins below a limit may exceed it. Both members are optional; null: no limits. A run keeps the limits that were set when it started.';

create index flow_deployments_entrypoint_id_idx on public.flow_deployments (entrypoint, user_id, id desc);
create index flow_deployments_user_id_idx on public.flow_deployments (user_id);
create index flow_deployments_snapshot_hash_idx on public.flow_deployments (snapshot_hash);

alter table public.flow_deployments enable row level security;
create policy flow_deployments_select_owner on public.flow_deployments for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_deployments_update_owner on public.flow_deployments for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_deployments_delete_owner on public.flow_deployments for delete to authenticated
  using (user_id = (select auth.uid()));

-- There is no grant to insert, because only private.deploy_flow() may insert deployments, after it has frozen the flow.
grant select, update, delete on public.flow_deployments to authenticated;
grant select, update, delete on public.flow_deployments to service_role;

create function private.tg_flow_deployments__before_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- With this lock, deploys of the same flow wait for each other. A start only reads the flow, so it does not wait for
  -- the lock.
  perform from public.flows as f where f.id = new.entrypoint for no key update;
  new.id := private.uuid_v7_after((
    select d.id from public.flow_deployments as d
    where d.entrypoint = new.entrypoint and d.user_id = new.user_id
    order by d.id desc limit 1
  ));
  new.created_at := private.uuid_v7_time(new.id);
  select private.input_names(f.nodes), private.typed_inputs(f.nodes) into new.input_names, new.typed_inputs
  from (
    select s.data #> '{entry,nodes}' as nodes from private.flow_snapshots as s where s.hash = new.snapshot_hash offset 0
  ) as f;
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_insert() is
  'Locks the flow. Gives the deployment its inputs, and an id that is greater than the ids of the flow''s other deployments. Definer, because it must see the snapshot and all deployments of the flow.';
create trigger _100_assign_id before insert on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_insert();

create trigger _800_check_quota after insert on public.flow_deployments
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('deployments', 'deployment_bytes');

create function private.tg_flow_deployments__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (new.id, new.created_at, new.user_id, new.entrypoint, new.snapshot_hash, new.input_names, new.typed_inputs)
    is distinct from (
      old.id, old.created_at, old.user_id, old.entrypoint, old.snapshot_hash, old.input_names, old.typed_inputs
    )
  then
    perform private.fail('column_read_only',
      'id, created_at, user_id, entrypoint, snapshot_hash, input_names and typed_inputs of a deployment can''t be '
      'changed.',
      hint => 'Deploy the flow again for a new deployment.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_update() is
  'Refuses changes of a deployment''s read-only columns.';
create trigger _100_refuse_read_only before update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_update();

create function private.tg_flow_deployments__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.check_setting_json('fees', new.fees);
  perform private.check_setting_json('chain_network', new.chain_network);
  perform private.check_setting_json('on_end', new.on_end);
  perform private.check_setting_json('model_limits', new.model_limits);

  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_setting('start_permission', 'must be Owner, Authenticated or Anonymous');
  end if;

  if new.name is distinct from old.name and coalesce(char_length(new.name) > private.limit_name_characters(), true) then
    perform private.refuse_setting(
      'name', format('must be a text of at most %s characters', private.limit_name_characters())
    );
  end if;
  if new.description is distinct from old.description
    and coalesce(char_length(new.description) > private.limit_description_characters(), true)
  then
    perform private.refuse_setting(
      'description', format('must be a text of at most %s characters', private.limit_description_characters())
    );
  end if;
  if new.icon_url is distinct from old.icon_url and not private.is_icon_url(new.icon_url) then
    perform private.refuse_setting(
      'icon_url', format('must be an https address of at most %s characters, or null', private.limit_url_characters())
    );
  end if;

  if new.max_starts_per_minute < 0 then
    perform private.refuse_setting(
      'max_starts_per_minute', 'must be an integer from 0 to 2^31-1, or null for the default'
    );
  end if;
  if new.max_runs_in_flight < 0 then
    perform private.refuse_setting(
      'max_runs_in_flight', 'must be an integer from 0 to 2^31-1, or null for the default'
    );
  end if;

  if new.queue_key is distinct from old.queue_key and new.queue_key <> all ('{caller}' || new.input_names) then
    perform private.refuse_setting('queue_key', 'must be caller, the name of an input of the flow, or null');
  end if;
  if new.max_running_per_key < 1 then
    perform private.refuse_setting('max_running_per_key', 'must be an integer from 1 to 2^31-1, or null');
  end if;
  if new.max_starts_per_key < 1 then
    perform private.refuse_setting('max_starts_per_key', 'must be an integer from 1 to 2^31-1, or null');
  end if;
  if new.key_period_seconds not between 1 and private.limit_key_period_seconds() then
    perform private.refuse_setting('key_period_seconds', format(
      'must be an integer from 1 to %s, or null', private.limit_key_period_seconds()
    ));
  end if;
  if (new.max_starts_per_key is null) <> (new.key_period_seconds is null) then
    perform private.refuse_setting('key_period_seconds', 'max_starts_per_key and key_period_seconds need each other');
  end if;
  if new.debounce_seconds not between 1 and private.limit_key_period_seconds() then
    perform private.refuse_setting('debounce_seconds', format(
      'must be an integer from 1 to %s, or null', private.limit_key_period_seconds()
    ));
  end if;
  if new.debounce_seconds is not null and (new.max_starts_per_key is not null or new.queue_key_shared) then
    perform private.refuse_setting('debounce_seconds', 'must be null if max_starts_per_key or queue_key_shared is set');
  end if;
  if new.debounce_max_seconds not between new.debounce_seconds and private.limit_key_period_seconds()
    or new.debounce_max_seconds is not null and new.debounce_seconds is null
  then
    perform private.refuse_setting('debounce_max_seconds', format(
      'must be an integer from debounce_seconds to %s, or null', private.limit_key_period_seconds()
    ));
  end if;

  if new.on_end is distinct from old.on_end and new.on_end is not null then
    perform private.refuse_faults('on_end_invalid', private.on_end_faults(new.on_end));
  end if;

  if new.model_limits is distinct from old.model_limits and new.model_limits is not null then
    perform private.refuse_faults('model_limits_invalid', private.model_limits_faults(new.model_limits));
  end if;

  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- Compare the texts, because the jsonb values 1.0 and 1 are equal. If an update changes an amount from 1 to 1.0, the
  -- texts differ, and the code below stores 1 again.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(new.action_identity) then
      perform private.refuse_setting('action_identity', 'must be a public key, base58 of 32 bytes, or null');
    end if;
    -- The share lock keeps the wallet from being deleted or changed into an ADAPTER until this row is stored. A
    -- concurrent change of the wallet waits for the lock, then sees the deployment and is refused.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail('action_identity_without_wallet',
        'action_identity must be the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet with this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_write() is
  'Refuses invalid settings with an error that names the fault, and stores the amounts of fees as integers. Definer, so that it locks the owner''s wallet whatever rights the writer has.';
create trigger _200_check_settings before insert or update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_write();
