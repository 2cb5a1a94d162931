create function private.begin_action_lookup()
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_deployment public.flow_deployments;
  v_chain_url text;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = private.token_run_id() and r.deployment_id is not null and r.output_instructions
    and r.status = 'succeeded' and r.output #>> '{M,transaction,S}' is not null;
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  update private.flow_run_jobs as j set action_lookups = j.action_lookups + 1
  where j.flow_run_id = v_run.id and j.action_lookups < private.limit_action_lookups()
  returning j.settings -> 'chain_network' ->> 'url' into v_chain_url;
  if not found then
    perform private.fail('action_lookups_limit',
      format('The transaction of this run has been looked up %s times.', private.limit_action_lookups()),
      hint => 'Look at its signature with a wallet or an explorer.');
  end if;
  select d.* into v_deployment from public.flow_deployments as d where d.id = v_run.deployment_id;
  return jsonb_build_object(
    'owner_id', v_run.user_id, 'caller', coalesce(v_run.started_by::text, v_run.started_by_public_key, v_run.id::text),
    'chain_url', v_chain_url, 'cluster', v_run.chain_network -> 'cluster',
    'transaction', v_run.output #> '{M,transaction,S}', 'name', v_deployment.name, 'icon_url', v_deployment.icon_url
  );
end;
$$;
comment on function private.begin_action_lookup() is
  'Implements public.begin_action_lookup. Definer, because no API role may access jobs.';
grant execute on function private.begin_action_lookup() to service_role;

create function public.begin_action_lookup()
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.begin_action_lookup();
$$;
-- name and icon_url are null if the deployment has been deleted. The look-ups are counted, because each of them calls
-- the owner's RPC server. 404 flow_run_not_found without the run's token, and for a run without a transaction in its
-- output. 429 action_lookups_limit for more than 20 look-ups.
comment on function public.begin_action_lookup() is
  'For the Edge Function `action`, which sends the run''s token: returns what `action` needs to find, on the chain, the transaction in the run''s output: {owner_id, caller, chain_url, cluster, transaction, name, icon_url}. 404 flow_run_not_found; 429 action_lookups_limit.';
grant execute on function public.begin_action_lookup() to service_role;
