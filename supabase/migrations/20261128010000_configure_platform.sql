-- Written by hand: settings of roles and memberships of the platform's publication are no schema objects, so that sql/ has none of it.

-- PostgREST runs this before each request: API keys and run tokens are resolved there.
alter role authenticator set pgrst.db_pre_request = 'private.pre_request';
notify pgrst, 'reload config';

-- Some functions on the way of requests turn ways of planning off. Up to version 17 Postgres counts that as a high cost, and would compile
-- such queries, which takes longer than the whole request.
alter role authenticator set jit = off;

-- What Realtime sends, to those whom the tables' policies let read it.
do $$
begin
  if exists (select from pg_publication where pubname = 'supabase_realtime') then
    alter publication supabase_realtime add table
      public.flow_run, public.node_run, public.flow_run_logs, public.signature_requests,
      public.pending_inputs;
  end if;
end;
$$;
