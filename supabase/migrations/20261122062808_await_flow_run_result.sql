SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.await_flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_result jsonb := private.flow_run_result(await_flow_run_result.flow_run_id);
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
begin
  -- Each that waits keeps a connection from those who start runs, of which PostgREST has ten by default: two at a time.
  if v_result ->> 'output' is not null
    or not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 1)
    and not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 2)
  then
    return v_result;
  end if;
  loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    exit when v_waited >= 0.04;
    perform from public.flow_run as r where r.id = await_flow_run_result.flow_run_id and r.end_time is null;
    exit when not found;
    -- Less and less often: an answer comes after the end by a millisecond, or by a tenth of the time that the end took.
    perform pg_sleep(greatest(v_waited / 10, 0.001));
  end loop;
  return private.flow_run_result(await_flow_run_result.flow_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.await_flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.await_flow_run_result(await_flow_run_result.flow_run_id);
end;
$function$;

COMMENT ON FUNCTION "private"."await_flow_run_result"(uuid) IS 'Does what public.await_flow_run_result says. Definer, as private.run_for_caller is.';

COMMENT ON FUNCTION "public"."await_flow_run_result"(uuid) IS 'As flow_run_result, as soon as the run has ended, or after 40 milliseconds; at once where two others wait like that. Most runs of a few nodes end meanwhile. 401; 404 flow_run_not_found.';

REVOKE ALL ON FUNCTION "private"."await_flow_run_result"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."await_flow_run_result"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."await_flow_run_result"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."await_flow_run_result"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."await_flow_run_result"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."await_flow_run_result"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."await_flow_run_result"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."await_flow_run_result"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."await_flow_run_result"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."await_flow_run_result"(uuid) TO "service_role";
