SET local check_function_bodies = off;

DROP TRIGGER "_100_count_deleted" ON "public"."kv_items";

DROP TRIGGER "_100_count_inserted" ON "public"."kv_items";

DROP TRIGGER "_100_count_deleted" ON "public"."kv_stores";

DROP TRIGGER "_100_count_inserted" ON "public"."kv_stores";

DROP FUNCTION "private"."tg_kv_items__after_delete"();

DROP FUNCTION "private"."tg_kv_items__after_insert"();

DROP FUNCTION "private"."tg_kv_stores__after_delete"();

DROP FUNCTION "private"."tg_kv_stores__after_insert"();

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, tg_argv[0]::integer * sum(i.size_bytes))
    from changed as i group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_stores__after_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(s.user_id, tg_argv[0]::integer * count(*), 0)
    from changed as s group by s.user_id order by s.user_id;
  return null;
end;
$function$;

CREATE TRIGGER _100_count_deleted AFTER DELETE ON public.kv_items REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_kv_items__after_change (
  '-1'
);

CREATE TRIGGER _100_count_inserted AFTER INSERT ON public.kv_items REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_kv_items__after_change (
  '1'
);

CREATE TRIGGER _100_count_deleted AFTER DELETE ON public.kv_stores REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_kv_stores__after_change (
  '-1'
);

CREATE TRIGGER _100_count_inserted AFTER INSERT ON public.kv_stores REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.tg_kv_stores__after_change (
  '1'
);

COMMENT ON FUNCTION "private"."tg_kv_items__after_change"() IS 'Counts the bytes of new items (argument 1) or deleted items (-1), and refuses items beyond the limit. Definer, because no API role may access the usage.';

COMMENT ON FUNCTION "private"."tg_kv_stores__after_change"() IS 'Counts new stores (argument 1) or deleted stores (-1), and refuses stores beyond the limit. Definer, because no API role may access the usage.';

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_change"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_change"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_change"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_stores__after_change"() TO "postgres";
