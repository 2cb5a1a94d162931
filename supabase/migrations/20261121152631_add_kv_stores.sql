SET local check_function_bodies = off;

CREATE TABLE "private"."kv_usage" (
  "user_id"     uuid    NOT NULL,
  "store_count" integer NOT NULL DEFAULT 0,
  "item_bytes"  bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "kv_usage_natural" CHECK (((store_count >= 0) AND (item_bytes >= 0))),
  CONSTRAINT "kv_usage_pkey" PRIMARY KEY (user_id)
);

CREATE TABLE "public"."kv_items" (
  "user_id"    uuid                     NOT NULL,
  "store"      text                     NOT NULL,
  "key"        text                     NOT NULL,
  "value"      jsonb                    NOT NULL,
  "size_bytes" integer                  GENERATED ALWAYS AS ((octet_length(key) + octet_length((VALUE)::text))) STORED NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "kv_items_key_length" CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 1024))),
  CONSTRAINT "kv_items_pkey" PRIMARY KEY (user_id, store, key)
);

ALTER TABLE "public"."kv_items"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."kv_items" FROM "anon";

CREATE TABLE "public"."kv_stores" (
  "user_id"    uuid                     NOT NULL,
  "name"       text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "kv_stores_name_form" CHECK ((name ~ '^[A-Za-z][A-Za-z0-9_-]{0,119}$'::text)),
  CONSTRAINT "kv_stores_pkey" PRIMARY KEY (user_id, name)
);

ALTER TABLE "public"."kv_stores"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."kv_stores" FROM "anon";

CREATE OR REPLACE FUNCTION private.add_kv_usage (
  user_id uuid,
  stores  bigint,
  bytes   bigint
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_usage private.kv_usage;
begin
  if add_kv_usage.stores <= 0 and add_kv_usage.bytes <= 0 then
    -- Nothing to find is right: with the user, this row goes before the last items or after them.
    update private.kv_usage as u
    set store_count = u.store_count + add_kv_usage.stores, item_bytes = u.item_bytes + add_kv_usage.bytes
    where u.user_id = add_kv_usage.user_id;
    return;
  end if;
  insert into private.kv_usage as u (user_id, store_count, item_bytes)
  values (add_kv_usage.user_id, add_kv_usage.stores, add_kv_usage.bytes)
  on conflict on constraint kv_usage_pkey do update
  set store_count = u.store_count + excluded.store_count, item_bytes = u.item_bytes + excluded.item_bytes
  returning u.* into v_usage;
  if add_kv_usage.stores > 0 and v_usage.store_count > 100 then
    perform private.fail(409, 'kv_stores_limit', 'A user has 100 key-value stores at most.', hint => 'Delete one that is not needed any more.');
  end if;
  if add_kv_usage.bytes > 0 and v_usage.item_bytes > 104857600 then
    perform private.fail(413, 'kv_size_limit', 'The key-value stores of a user hold 100 MiB at most, keys and values as text.',
      jsonb_build_object('size_bytes', v_usage.item_bytes), 'Delete a store that is not needed any more, or write smaller values.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_run_and_owner (
  claim jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id constant uuid := hold_run_and_owner.claim ->> 'flow_run_id';
begin
  -- The owner before the run, as the deletion of a user takes them: neither then waits for the other.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  return (private.hold_flow_run(v_run_id, (hold_run_and_owner.claim ->> 'attempt')::integer)).user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_effect (
  effect jsonb,
  output jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.node_run as n
  set output = keep_effect.output
  where n.flow_run_id = (keep_effect.effect ->> 'flow_run_id')::uuid and n.node_id = (keep_effect.effect ->> 'node_id')::uuid
    and n.times = (keep_effect.effect ->> 'times')::integer;
$function$;

CREATE OR REPLACE FUNCTION private.kv_create_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_create_store.claim);
begin
  if private.lock_effect(kv_create_store.effect, v_user_id) is not null then
    return;
  end if;
  begin
    insert into public.kv_stores (user_id, name) values (v_user_id, kv_create_store.store) on conflict do nothing;
  exception when check_violation then
    perform private.fail(400, 'kv_store_name_invalid',
      'The name of a store takes 1 to 120 letters, digits, _ and -, a letter first.');
  end;
  if not found then
    perform private.fail(409, 'kv_store_exists', format('There is a store %s already.', to_jsonb(kv_create_store.store)));
  end if;
  perform private.keep_effect(kv_create_store.effect, '{"M": {}}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_delete_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_delete_store.claim);
begin
  if private.lock_effect(kv_delete_store.effect, v_user_id) is not null then
    return;
  end if;
  -- Writers of one user take turns, so that none waits for a row while another waits for this one.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  delete from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_delete_store.store;
  if not found then
    perform private.kv_store_missing(kv_delete_store.store);
  end if;
  perform private.keep_effect(kv_delete_store.effect, '{"M": {}}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_read_item (
  claim jsonb,
  store text,
  key   text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := (private.hold_flow_run(
    (kv_read_item.claim ->> 'flow_run_id')::uuid, (kv_read_item.claim ->> 'attempt')::integer
  )).user_id;
  v_value jsonb;
begin
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_read_item.store) then
    perform private.kv_store_missing(kv_read_item.store);
  end if;
  select i.value into v_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_read_item.store and i.key = kv_read_item.key;
  return v_value;
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_store_missing (
  store text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.fail(404, 'kv_store_not_found', format('There is no store %s.', to_jsonb(kv_store_missing.store)));
$function$;

CREATE OR REPLACE FUNCTION private.kv_write_item (
  claim  jsonb,
  effect jsonb,
  store  text,
  key    text,
  value  jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.lock_effect(kv_write_item.effect, v_user_id);
  v_bad text;
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_bad := private.bad_value(kv_write_item.value, 'value', 64);
  if v_bad is not null then
    perform private.fail(400, 'kv_value_invalid', v_bad);
  end if;

  -- Writers of one user take turns: what is read here is what is replaced.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_write_item.store) then
    perform private.kv_store_missing(kv_write_item.store);
  end if;
  select i.value into v_old_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_write_item.store and i.key = kv_write_item.key;
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation then
    perform private.fail(400, 'kv_key_invalid', 'A key takes 1 to 1024 bytes.');
  end;

  perform private.keep_effect(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_effect (
  effect  jsonb,
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_output jsonb;
begin
  select n.output into v_output
  from public.node_run as n
  where n.flow_run_id = (lock_effect.effect ->> 'flow_run_id')::uuid and n.node_id = (lock_effect.effect ->> 'node_id')::uuid
    and n.times = (lock_effect.effect ->> 'times')::integer and n.user_id = lock_effect.user_id
  for no key update;
  if not found then
    perform private.fail(500, 'internal', 'The node run of this change is not stored.');
  end if;
  return v_output;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, -sum(i.size_bytes)) from deleted as i group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes)) from inserted as i group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes))
  from (
    select u.user_id, u.size_bytes from updated as u
    union all
    select f.user_id, -f.size_bytes from former as f
  ) as i
  group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_stores__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(s.user_id, -count(*), 0) from deleted as s group by s.user_id order by s.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_stores__after_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(s.user_id, count(*), 0) from inserted as s group by s.user_id order by s.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.kv_create_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_create_store(kv_create_store.claim, kv_create_store.effect, kv_create_store.store);
$function$;

REVOKE ALL ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_delete_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_delete_store(kv_delete_store.claim, kv_delete_store.effect, kv_delete_store.store);
$function$;

REVOKE ALL ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_read_item (
  claim jsonb,
  store text,
  key   text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_read_item(kv_read_item.claim, kv_read_item.store, kv_read_item.key);
$function$;

REVOKE ALL ON FUNCTION "public"."kv_read_item"(jsonb, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_write_item (
  claim  jsonb,
  effect jsonb,
  store  text,
  key    text,
  value  jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_write_item(
    kv_write_item.claim, kv_write_item.effect, kv_write_item.store, kv_write_item.key, kv_write_item.value
  );
$function$;

REVOKE ALL ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."kv_usage"
  ADD CONSTRAINT "kv_usage_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."kv_items"
  ADD CONSTRAINT "kv_items_store_fkey" FOREIGN KEY (user_id, store) REFERENCES public.kv_stores(user_id, name) ON DELETE CASCADE;

ALTER TABLE "public"."kv_stores"
  ADD CONSTRAINT "kv_stores_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE TRIGGER _100_count_deleted
  AFTER DELETE ON public.kv_items REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_items__after_delete();

CREATE TRIGGER _100_count_inserted
  AFTER INSERT ON public.kv_items REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_items__after_insert();

CREATE TRIGGER _100_count_updated
  AFTER UPDATE ON public.kv_items REFERENCING OLD TABLE AS former NEW TABLE AS updated
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_items__after_update();

CREATE TRIGGER _200_touch
  BEFORE UPDATE ON public.kv_items
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_any__before_update_touch();

CREATE TRIGGER _100_count_deleted
  AFTER DELETE ON public.kv_stores REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_stores__after_delete();

CREATE TRIGGER _100_count_inserted
  AFTER INSERT ON public.kv_stores REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_stores__after_insert();

CREATE POLICY "kv_items_select_owner" ON "public"."kv_items"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "kv_stores_select_owner" ON "public"."kv_stores"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "private"."kv_usage"."item_bytes" IS 'The sum of size_bytes of the user''s items.';

COMMENT ON COLUMN "public"."kv_items"."size_bytes" IS 'What the item counts against the user''s limit: the bytes of its key and of its value as text.';

COMMENT ON COLUMN "public"."kv_items"."value" IS 'One value with its tag, such as {"S": "text"}.';

COMMENT ON COLUMN "public"."kv_stores"."name" IS '1 to 120 letters, digits, _ and -, a letter first.';

COMMENT ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) IS 'Adds stores and bytes to what a user has, and refuses what exceeds the limits: 409 kv_stores_limit, 413 kv_size_limit. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."hold_run_and_owner"(jsonb) IS 'Locks the run of a claim, {flow_run_id, attempt}, for a change of what is its owner''s, and gives the owner; 409 claim_lost when the claim is not the newest. Definer: it locks users.';

COMMENT ON FUNCTION "private"."keep_effect"(jsonb, jsonb) IS 'Stores that a change is made, with what it gave, {"M": {…}}: asked again, lock_effect gives it back. Definer: nobody else writes node runs.';

COMMENT ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) IS 'Does what public.kv_create_store says. Definer: only claimed runs write stores.';

COMMENT ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) IS 'Does what public.kv_delete_store says. Definer: only claimed runs write stores.';

COMMENT ON FUNCTION "private"."kv_read_item"(jsonb, text, text) IS 'Does what public.kv_read_item says. Definer, as private.hold_flow_run is.';

COMMENT ON FUNCTION "private"."kv_store_missing"(text) IS 'Raises 404 kv_store_not_found.';

COMMENT ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) IS 'Does what public.kv_write_item says. Definer: only claimed runs write items.';

COMMENT ON FUNCTION "private"."lock_effect"(jsonb, uuid) IS 'Locks the node run that makes a change, {flow_run_id, node_id, times}, and gives the output that the change left when it was made before; null when it is still to be made. Definer: nobody else writes node runs.';

COMMENT ON FUNCTION "private"."tg_kv_items__after_delete"() IS 'Counts the bytes of deleted items. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_items__after_insert"() IS 'Counts the bytes of new items, and refuses those that are too many. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_items__after_update"() IS 'Counts what changed items grew or shrank, and refuses those that grew too much. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_stores__after_delete"() IS 'Counts deleted stores. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_stores__after_insert"() IS 'Counts new stores, and refuses one too many. Definer: the usage is private.';

COMMENT ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) IS 'For the runner: creates a store of the run''s owner, once for each effect. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit, claim_lost.';

COMMENT ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) IS 'For the runner: deletes a store of the run''s owner with its items, once for each effect. 404 kv_store_not_found; 409 claim_lost.';

COMMENT ON FUNCTION "public"."kv_read_item"(jsonb, text, text) IS 'For the runner: the value under a key in a store of the run''s owner, or null. 404 kv_store_not_found; 409 claim_lost.';

COMMENT ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) IS 'For the runner: stores a value under a key in a store of the run''s owner, once for each effect, and gives the value that it replaces, or null. 400 kv_key_invalid, kv_value_invalid; 404 kv_store_not_found; 409 claim_lost; 413 kv_size_limit.';

COMMENT ON TABLE "private"."kv_usage" IS 'What each user''s key-value stores add up to, kept by the triggers of kv_stores and kv_items: limits are checked without adding up 100 MiB. Its row is also what writers of one user wait for each other on.';

COMMENT ON TABLE "public"."kv_items" IS 'What the key-value stores hold: written by the nodes of the owner''s flows, read by the owner. 100 MiB a user at most.';

COMMENT ON TABLE "public"."kv_stores" IS 'The key-value stores of a user, 100 at most: made and deleted by the nodes of that user''s flows, read by the user.';

REVOKE ALL ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hold_run_and_owner"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_run_and_owner"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_run_and_owner"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_effect"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_effect"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keep_effect"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kv_read_item"(jsonb, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_read_item"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_read_item"(jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_read_item"(jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kv_store_missing"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_store_missing"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_store_missing"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_effect"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_effect"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_effect"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_stores__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_stores__after_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_read_item"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_read_item"(jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_read_item"(jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "service_role";

REVOKE ALL ON TABLE "public"."kv_items" FROM "authenticated";

GRANT SELECT ON TABLE "public"."kv_items" TO "authenticated";

REVOKE ALL ON TABLE "public"."kv_items" FROM "service_role";

GRANT SELECT ON TABLE "public"."kv_items" TO "service_role";

REVOKE ALL ON TABLE "public"."kv_stores" FROM "authenticated";

GRANT SELECT ON TABLE "public"."kv_stores" TO "authenticated";

REVOKE ALL ON TABLE "public"."kv_stores" FROM "service_role";

GRANT SELECT ON TABLE "public"."kv_stores" TO "service_role";
