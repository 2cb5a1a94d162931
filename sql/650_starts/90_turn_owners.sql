create function private.turn_owner(shown text)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_kind text := substr(turn_owner.shown, 1, 3);
  v_id text := split_part(turn_owner.shown, ' ', 2);
begin
  -- Return an owner only for flows and deployments that everybody may start. For all others return null, as if they did
  -- not exist. Otherwise a caller could learn from the order of the answers that they exist.
  if v_kind = 'fk_' then
    return (private.valid_api_key(turn_owner.shown)).user_id;
  elsif v_kind = 'fr_' then
    return (select r.user_id from public.flow_run as r where r.id = private.run_id_of_token(turn_owner.shown));
  elsif turn_owner.shown like 'deployment %' and pg_input_is_valid(v_id, 'uuid') then
    return (
      select d.user_id from public.flow_deployments as d where d.id = v_id::uuid and d.start_permission = 'Anonymous'
    );
  elsif turn_owner.shown like 'flow %' and pg_input_is_valid(v_id, 'integer') then
    return (
      select d.user_id from public.flow_deployments as d
      where d.entrypoint = v_id::integer and d.start_permission = 'Anonymous'
      limit 1
    );
  end if;
  return null;
end;
$$;
comment on function private.turn_owner(text) is
  'Returns the user who owns an API key, a run (`shown` is its token), `deployment <id>` or `flow <id>`. Null if `shown` is unknown, or if only some callers may start the deployment or flow. public.turn_owners calls this function for each element. Definer, because callers may not read these rows.';

create function private.turn_owners(shown text[])
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select array_agg(private.turn_owner(s.shown) order by s.place)
    from unnest(turn_owners.shown) with ordinality as s (shown, place);
$$;
comment on function private.turn_owners(text[]) is
  'Implements public.turn_owners. Definer, because API roles may not call private.turn_owner().';
grant execute on function private.turn_owners(text[]) to service_role;

-- Returns null for an invalid or unknown element, and for a flow or deployment that only some callers may start. The
-- Edge Functions call this function, because they let requests of different owners take turns.
create function public.turn_owners(shown text[])
returns uuid[]
language sql stable security invoker
begin atomic
  select private.turn_owners(shown);
end;
comment on function public.turn_owners(text[]) is
  'Returns the owner for each element of `shown`, in the same order. An element is an API key, a run token, `deployment <id>` or `flow <id>`. The owner is null if the element is unknown, or if it names a flow or deployment that only some callers may start.';
grant execute on function public.turn_owners(text[]) to service_role;
