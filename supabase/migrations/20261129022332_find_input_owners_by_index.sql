SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.pending_input_owners (
  tokens text[]
)
  RETURNS uuid[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- With `offset 0`, each token is one search of the index, as in private.webhook_owners().
  select array_agg(o.user_id order by t.place)
  from unnest(pending_input_owners.tokens) with ordinality as t (token, place)
  left join lateral (
    select (
      select j.user_id from private.flow_run_jobs as j
      where j.flow_run_id = a.root_flow_run_id and (
        a.outcome in ('submitted', 'cancelled')
        or a.outcome is null and a.expires_at > clock_timestamp() and j.state <> 'ended'
          and j.stop_requested_at is null
      )
    ) as user_id
    from private.api_inputs as a where a.token_hash = sha256(convert_to(t.token, 'UTF8')) offset 0
  ) as o on true;
$function$;
