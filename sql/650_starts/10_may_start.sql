create function private.may_start(deployment public.flow_deployments, caller private.caller)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(
    -- The owner may always start the deployment.
    may_start.deployment.user_id = may_start.caller.user_id
    -- Authenticated: every user who has signed up.
    or may_start.deployment.start_permission = 'Authenticated' and may_start.caller.user_id is not null
      and not may_start.caller.is_anonymous
    -- Anonymous: everybody.
    or may_start.deployment.start_permission = 'Anonymous',
    -- A null deployment fails every comparison.
    false
  );
end;
comment on function private.may_start(public.flow_deployments, private.caller) is
  'Whether the caller may start a deployment: the owner always, every user who has signed up if start_permission is Authenticated, and everybody if it is Anonymous. False if the deployment is null, so that a missing deployment gives the same 404 as a deployment that the caller may not start.';
