-- Notifies sessions of news about runs. A session gets the news of the runs that it follows. If no session follows a
-- run, its news costs only one attempt to take a lock. The functions in this file never wait for a lock:
--
--   follow      A session that listens takes a shared lock of the run and the topic, then reads the run.
--   announce    A transaction with news tries to take the exclusive lock. If it succeeds, no session follows the run.
--               If it fails, the transaction notifies the sessions.
--
-- If a session followed the run before the transaction tried to take the lock, the try fails, and the session is
-- notified. If the try succeeds, the transaction keeps the lock until it has committed, and until then no session can
-- follow the run. A session that follows the run after the commit sees the news when it reads the run.

create type private.news_topic as enum ('ends', 'events');
comment on type private.news_topic is
  'The kind of news of a run. ends: the run has ended, or asks somebody outside for something. events: anything that happens in the run. Each topic has its own locks, so that progress does not notify sessions that only wait for the end.';

create function private.announce_run_news(flow_run_id uuid, topic private.news_topic)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(
    hashtext('private.announce_run_news/' || announce_run_news.topic), uuid_hash(announce_run_news.flow_run_id)
  ) then
    perform pg_notify('flow_run_news', announce_run_news.flow_run_id::text);
  end if;
end;
$$;
-- NOTIFY makes commits wait for each other, so this function notifies only if a session follows the run. The number of
-- a lock is a hash of the run's id. If a session follows another run with the same hash, the function notifies without
-- need.
comment on function private.announce_run_news(uuid, private.news_topic) is
  'When the transaction commits, notifies the sessions that follow the root run for this topic. The caller holds the lock of the run''s row.';

create function private.listen_for_run_news()
returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_place integer;
begin
  -- Each listener holds a connection and many locks, and would leave too few for other work. So all listeners together
  -- use at most an eighth of the connections and half of the lock table.
  for v_place in 1 .. greatest(current_setting('max_connections')::integer / 8, 1) loop
    if pg_try_advisory_lock(hashtext('private.listen_for_run_news'), v_place) then
      -- With these settings, the connection of a lost listener ends soon. The end of the connection releases the
      -- listener's locks.
      perform set_config('tcp_keepalives_idle', '20', false), set_config('tcp_keepalives_interval', '10', false),
        set_config('tcp_keepalives_count', '3', false), set_config('idle_session_timeout', '60s', false);
      listen flow_run_news;
      return current_setting('max_locks_per_transaction')::integer * 4;
    end if;
  end loop;
  return 0;
end;
$$;
comment on function private.listen_for_run_news() is
  'Makes this session listen for news of runs. Returns how many runs the session may follow: four times max_locks_per_transaction. Returns 0 if an eighth of all connections already listen. A listening session that is idle for a minute is ended.';
grant execute on function private.listen_for_run_news() to service_role;

create function private.follow_flow_runs(flow_run_ids uuid[], topic private.news_topic)
returns setof uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return query
  -- The CTE is materialized, so that only matching runs are locked.
  with root as materialized (
    select r.id from public.flow_run as r
      where r.id = any (follow_flow_runs.flow_run_ids) and r.parent_flow_run_id is null
    )
    select root.id from root
    where pg_try_advisory_lock_shared(
      hashtext('private.announce_run_news/' || follow_flow_runs.topic), uuid_hash(root.id)
    );
end;
$$;
-- Returns the runs that the session follows. Leaves out called runs. Also leaves out a run if a transaction with news
-- of the run holds the exclusive lock. Read the runs after this call, because earlier news is not announced again.
comment on function private.follow_flow_runs(uuid[], private.news_topic) is
  'Makes this session follow root runs for a topic. The session follows a run until the session ends, or has called unfollow_flow_runs for the run as often as follow_flow_runs. Returns the runs that the session follows; read these runs after the call.';
grant execute on function private.follow_flow_runs(uuid[], private.news_topic) to service_role;

create function private.unfollow_flow_runs(flow_run_ids uuid[], topic private.news_topic)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform pg_advisory_unlock_shared(hashtext('private.announce_run_news/' || unfollow_flow_runs.topic), uuid_hash(f.id))
  from unnest(unfollow_flow_runs.flow_run_ids) as f (id);
end;
$$;
comment on function private.unfollow_flow_runs(uuid[], private.news_topic) is
  'Undoes one call of follow_flow_runs for these runs and this topic. Name a run twice if the session has followed it twice.';
grant execute on function private.unfollow_flow_runs(uuid[], private.news_topic) to service_role;
