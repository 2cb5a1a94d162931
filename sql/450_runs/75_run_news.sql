-- Kept for the functions of 0.3.0, which ask for a session that is notified of news about runs, and poll if they get
-- none. Delete this file after the next release.

create function private.listen_for_run_news()
returns integer
language sql stable security invoker
begin atomic
  select 0;
end;
comment on function private.listen_for_run_news() is
  'The number of runs that a session may follow: none. Functions of 0.3.0 then poll for waiting callers.';
grant execute on function private.listen_for_run_news() to service_role;
