SET local check_function_bodies = off;

DROP TRIGGER "_200_touch" ON "public"."flows";

CREATE OR REPLACE FUNCTION private.started_by_email (
  flow_run_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The run is read again by its id, because a caller of the public function can pass a row that does not exist.
  select private.confirmed_email(r.started_by) from public.flow_run as r
  where r.id = started_by_email.flow_run_id and r.user_id = (select auth.uid());
$function$;

CREATE OR REPLACE FUNCTION public.started_by_email (
  flow_run public.flow_run
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.started_by_email(started_by_email.flow_run.id);
$function$;

REVOKE ALL ON FUNCTION "public"."started_by_email"(public.flow_run) FROM PUBLIC, "anon";

CREATE TRIGGER _200_touch
  BEFORE UPDATE OF id,
    user_id,
    name,
    description,
    nodes,
    edges,
    environment, chain_network, instructions_bundling, is_public, start_shared, start_unverified, tool_name, tool_tag, tool_description, created_at, updated_at ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_any__before_update_touch();

COMMENT ON FUNCTION "private"."started_by_email"(uuid) IS 'Implements public.started_by_email. Definer, because no API role may read the addresses of users. Checks that the caller owns the run.';

COMMENT ON FUNCTION "public"."started_by_email"(public.flow_run) IS 'The confirmed e-mail address of the user who started a run, for the owner of its flow: select=id,started_by_email. Null for everybody else, and if the starter has no such address.';

REVOKE ALL ON FUNCTION "private"."started_by_email"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."started_by_email"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."started_by_email"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."started_by_email"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."started_by_email"(uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."started_by_email"(public.flow_run) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."started_by_email"(public.flow_run) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."started_by_email"(public.flow_run) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."started_by_email"(public.flow_run) TO "service_role";
