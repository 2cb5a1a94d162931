SET local check_function_bodies = off;

DROP TRIGGER "_800_check_quota" ON "public"."nodes";

CREATE OR REPLACE FUNCTION private.error_status (
  code text
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN
               (code = ANY (ARRAY['request_invalid'::text, 'count_inexact'::text, 'pattern_filter_refused'::text, 'inputs_invalid'::text, 'answer_invalid'::text,
               'public_key_invalid'::text,
               'idempotency_key_invalid'::text,
               'column_invalid'::text,
               'column_read_only'::text,
               'start_permission_invalid'::text,
               'name_invalid'::text,
               'description_invalid'::text,
               'icon_url_invalid'::text,
               'fees_invalid'::text,
               'chain_network_invalid'::text,
               'max_starts_per_minute_invalid'::text,
               'max_runs_in_flight_invalid'::text,
               'queue_key_invalid'::text,
               'max_running_per_key_invalid'::text,
               'max_starts_per_key_invalid'::text,
               'key_period_seconds_invalid'::text,
               'on_end_invalid'::text,
               'action_identity_invalid'::text,
               'action_identity_without_wallet'::text,
               'node_definition_invalid'::text,
               'row_start_invalid'::text,
               'start_target_ambiguous'::text,
               'action_signer_invalid'::text,
               'priority_invalid'::text,
               'environment_invalid'::text,
               'partial_config_invalid'::text,
               'wallet_key_mismatch'::text,
               'wallet_keypair_required'::text,
               'signature_invalid'::text, 'transaction_changed'::text, 'kv_store_name_invalid'::text, 'kv_key_invalid'::text, 'kv_value_invalid'::text])) THEN 400
             WHEN (code = ANY (ARRAY['unauthenticated'::text, 'token_invalid'::text, 'api_key_invalid'::text, 'webhook_signature_invalid'::text])) THEN 401
             WHEN (code = 'token_required'::text) THEN 403
             WHEN
               (code = ANY (ARRAY['route_not_found'::text, 'api_key_not_found'::text, 'flow_not_found'::text, 'deployment_not_found'::text, 'flow_version_not_found'::text,
               'flow_run_not_found'::text,
               'webhook_delivery_not_found'::text,
               'pending_input_not_found'::text,
               'webhook_not_found'::text,
               'signature_request_not_found'::text, 'wallet_not_found'::text, 'connection_not_found'::text, 'kv_item_not_found'::text, 'kv_store_not_found'::text])) THEN 404
             WHEN (code = 'method_not_allowed'::text) THEN 405
             WHEN (code = 'body_timeout'::text) THEN 408
             WHEN
               (code = ANY (ARRAY['idempotency_key_reused'::text, 'quota_exceeded'::text, 'flow_changed'::text, 'flow_has_deployments'::text, 'tag_latest_protected'::text,
               'webhook_answer_failed'::text,
               'webhook_loop'::text,
               'start_loop'::text,
               'run_failed'::text,
               'action_failed'::text,
               'run_stopped'::text,
               'run_not_ended'::text,
               'run_succeeded'::text,
               'run_redriven'::text,
               'run_not_redrivable'::text,
               'redrive_graph_changed'::text,
               'outcome_unknown'::text,
               'pending_input_answered'::text,
               'claim_lost'::text,
               'wallet_in_use'::text,
               'signature_request_answered'::text,
               'signature_request_expired'::text, 'connection_changed'::text, 'connection_in_use'::text, 'kv_store_exists'::text, 'kv_stores_limit'::text])) THEN 409
             WHEN (code = ANY (ARRAY['body_too_large'::text, 'flows_too_large'::text, 'inputs_too_large'::text, 'kv_size_limit'::text])) THEN 413
             WHEN (code = 'media_type_unsupported'::text) THEN 415
             WHEN (code = ANY (ARRAY['flow_invalid'::text, 'connection_test_failed'::text, 'document_unreadable'::text])) THEN 422
             WHEN (code = ANY (ARRAY['too_many_requests'::text, 'queue_full'::text, 'start_limit_reached'::text, 'action_lookups_limit'::text])) THEN 429
             WHEN (code = 'internal'::text) THEN 500
             WHEN (code = 'service_unavailable'::text) THEN 503
             ELSE NULL::integer
         END
  AS "case";
END;

CREATE OR REPLACE FUNCTION private.known_quotas()
  RETURNS TABLE (
    name          text,
    default_value bigint,
    noun          text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query values
    ('flows', 1000::bigint, 'flows'),
    ('flow_bytes', 1073741824, 'bytes of nodes, edges and environments in flows and their versions'),
    ('deployments', 10000, 'deployments'),
    ('deployment_bytes', 4294967296, 'bytes of frozen flows in deployments'),
    ('tags', 10000, 'tags beside latest'),
    ('api_keys', 100, 'API keys'),
    ('wallets', 1000, 'wallets'),
    ('connections', 1000, 'connections'),
    ('nodes', 5000, 'private node definitions'),
    ('node_bytes', 67108864, 'bytes of private node definitions'),
    ('schedules', 1000, 'schedules'),
    ('schedule_bytes', 4194304, 'bytes of inputs and values in schedules'),
    ('pending_webhooks', 10000, 'outgoing webhooks that were tried and are pending'),
    ('file_bytes', 1073741824, 'bytes of files in user-storages and user-public-storages, each file counted as 4096 bytes or more'),
    ('webhooks', 1000, 'incoming webhooks');
end;
$function$;

CREATE OR REPLACE FUNCTION private.quota_use (
  name    text,
  user_id uuid
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  case quota_use.name
    when 'flows' then
      return (select count(*) from public.flows as f where f.user_id = quota_use.user_id);
    when 'flow_bytes' then
      return (
        select sum(pg_column_size(f.nodes)::bigint + pg_column_size(f.edges) + pg_column_size(f.environment))
        from public.flows as f where f.user_id = quota_use.user_id
      ) + (
        select coalesce(sum(v.bytes), 0) from public.flow_versions as v where v.user_id = quota_use.user_id
      );
    when 'deployments' then
      return (select count(*) from public.flow_deployments as d where d.user_id = quota_use.user_id);
    when 'deployment_bytes' then
      return (
        select sum(pg_column_size(s.data)::bigint)
        from (
          select distinct d.snapshot_hash from public.flow_deployments as d where d.user_id = quota_use.user_id
        ) as own
        join private.flow_snapshots as s on s.hash = own.snapshot_hash
      ) + (
        select coalesce(sum(pg_column_size(c.canvas)::bigint), 0)
        from public.flow_deployments as d
        join private.flow_deployment_canvases as c on c.deployment_id = d.id
        where d.user_id = quota_use.user_id
      );
    when 'tags' then
      return (
        select count(*) from public.flow_deployments_tags as t where t.user_id = quota_use.user_id and t.tag <> 'latest'
      );
    when 'api_keys' then
      return (select count(*) from public.api_keys as k where k.user_id = quota_use.user_id);
    when 'wallets' then
      return (select count(*) from public.wallets as w where w.user_id = quota_use.user_id);
    when 'connections' then
      return (select count(*) from public.connections as c where c.user_id = quota_use.user_id);
    when 'nodes' then
      return (select count(*) from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public);
    when 'node_bytes' then
      return (
        select coalesce(sum(pg_column_size(n.data)::bigint + pg_column_size(n.sources) + pg_column_size(n.targets)
          + coalesce(pg_column_size(n."targets_form.json_schema"), 0)
          + coalesce(pg_column_size(n."targets_form.ui_schema"), 0)
          + coalesce(pg_column_size(n."targets_form.extra"), 0)), 0)
        from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public
      );
    when 'schedules' then
      return (select count(*) from public.flow_schedules as s where s.user_id = quota_use.user_id);
    when 'schedule_bytes' then
      return (
        select sum(pg_column_size(s.inputs)::bigint + pg_column_size(s."values"))
        from public.flow_schedules as s where s.user_id = quota_use.user_id
      );
    when 'pending_webhooks' then
      return (
        select count(*) from public.webhook_deliveries as w
        where w.user_id = quota_use.user_id and w.status = 'pending' and least(w.attempts, 1) = 1
      );
    when 'webhooks' then
      return (select count(*) from public.flow_webhooks as w where w.user_id = quota_use.user_id);
    when 'file_bytes' then
      -- `0` is the character after the slash, so these are the names in the user's folder.
      return (
        select coalesce(sum(private.counted_file_bytes(o.metadata)), 0)
        from storage.objects as o
        where o.bucket_id in ('user-storages', 'user-public-storages')
          and o.name collate "C" >= quota_use.user_id || '/' and o.name collate "C" < quota_use.user_id || '0'
      );
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_nodes__after_growth()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_user_id uuid;
begin
  -- Compare stored sizes. The statement's new rows are not compressed yet, so read the rows from the table.
  for v_user_id in
    select distinct n.user_id
    from former as o
    join public.nodes as n on n.id = o.id
    where not n.is_public
      and pg_column_size(n.data) + pg_column_size(n.sources) + pg_column_size(n.targets)
        + coalesce(pg_column_size(n."targets_form.json_schema"), 0)
        + coalesce(pg_column_size(n."targets_form.ui_schema"), 0)
        + coalesce(pg_column_size(n."targets_form.extra"), 0)
        > pg_column_size(o.data) + pg_column_size(o.sources) + pg_column_size(o.targets)
        + coalesce(pg_column_size(o."targets_form.json_schema"), 0)
        + coalesce(pg_column_size(o."targets_form.ui_schema"), 0)
        + coalesce(pg_column_size(o."targets_form.extra"), 0)
    order by n.user_id
  loop
    perform private.check_quota('node_bytes', v_user_id);
  end loop;
  return null;
end;
$function$;

CREATE TRIGGER _800_check_growth
  AFTER UPDATE ON public.nodes REFERENCING OLD TABLE AS former
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_growth();

CREATE TRIGGER _800_check_quota AFTER INSERT ON public.nodes REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__after_insert_check_quota (
  'nodes',
  'node_bytes'
);

COMMENT ON FUNCTION "private"."tg_nodes__after_growth"() IS 'Checks once per statement that updated definitions did not grow beyond their owner''s quota. Definer, because users may not call private.check_quota().';

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_growth"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_growth"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_nodes__after_growth"() TO "postgres";
