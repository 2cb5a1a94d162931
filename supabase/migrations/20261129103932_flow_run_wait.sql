SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.flow_run_wait (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_wait.flow_run_id);
begin
  return (
    select jsonb_build_object('state', j.state, 'due_at', j.due_at, 'queue_key', j.settings -> 'queue' -> 'key')
    from private.flow_run_jobs as j
    where j.flow_run_id = v_run.id and j.claim_number = 0 and j.state in ('blocked', 'sleeping')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.flow_run_wait (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return private.flow_run_wait(flow_run_id);
end;
$function$;

COMMENT ON FUNCTION "private"."flow_run_wait"(uuid) IS 'Implements public.flow_run_wait. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "public"."flow_run_wait"(uuid) IS 'What a queued run waits for, {state, due_at, queue_key}, for its owner, its starter and the holder of its token. state: blocked (for a place of its key) or sleeping (until due_at). Null if the run does not wait because of limits by key. 401; 404 flow_run_not_found.';

REVOKE ALL ON FUNCTION "private"."flow_run_wait"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."flow_run_wait"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."flow_run_wait"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_wait"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_wait"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_wait"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."flow_run_wait"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."flow_run_wait"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_wait"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_wait"(uuid) TO "service_role";
