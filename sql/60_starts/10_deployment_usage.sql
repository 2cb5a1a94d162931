create table private.deployment_usage (
  deployment_id uuid not null,
  share text collate "C" not null,
  slot integer not null,
  minute timestamptz not null default '-infinity',
  starts integer not null default 0,
  in_flight integer not null default 0,
  constraint deployment_usage_pkey primary key (deployment_id, share, slot)
) with (fillfactor = 50);
comment on table private.deployment_usage is
  'How much others than its owner use a deployment, for its limits. The use of a share is the sum over its slots, of which a backend writes its own, so that starts don''t wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';
comment on column private.deployment_usage.share is
  'Who is counted: ''all'', ''guests'' (all who have not signed up), or one caller, ''user:<id>'' or ''key:<public key>''. A start counts for each share that its caller belongs to, as private.start_shares says.';
comment on column private.deployment_usage.slot is
  'pg_backend_pid() % 32 for starts, and for ends the negative of it less one: an end never waits for a start.';
comment on column private.deployment_usage.minute is 'The minute that starts counts.';
comment on column private.deployment_usage.starts is 'Starts of that minute.';
comment on column private.deployment_usage.in_flight is 'Runs that were started here, less those that ended here: right in sum.';

create function private.tg_flow_deployments__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Not what an end of a run has locked, who may hold more of them, in another order: a sweep takes it along.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and (u.share, u.slot) in (
    select free.share, free.slot from private.deployment_usage as free where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_delete() is 'A deleted deployment takes its usage along. Definer: the usage is private.';
-- When the transaction commits: it waits for nobody any more who waits for these rows. Named as the constraint that it is too.
create constraint trigger flow_deployments_delete_usage after delete on public.flow_deployments
  deferrable initially deferred
  for each row execute function private.tg_flow_deployments__after_delete();
