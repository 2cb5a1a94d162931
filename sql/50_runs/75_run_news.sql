-- News of runs reach sessions that listen for them, and cost a run that nobody follows one try of a lock. Nobody waits for a lock here:
--
--   follow      A session that listens takes a shared lock of the run and the topic, then looks at the run.
--   announce    The transaction that has news tries to take the exclusive lock. If it gets it, nobody follows the run; if not, it notifies.
--
-- The transaction keeps its lock until it has committed. So whoever follows before that is notified, and whoever follows after it sees the
-- news when they look. While it commits, the run can't be followed.

create type private.news_topic as enum ('ends', 'events');
comment on type private.news_topic is
  'Which news of a run somebody wants. ends: that it has ended, or asks somebody outside for something; events: all that happens in it. Each has locks of its own, so that progress notifies nobody who only waits for the end.';

create function private.announce_run_news(flow_run_id uuid, topic private.news_topic)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('private.announce_run_news/' || announce_run_news.topic), uuid_hash(announce_run_news.flow_run_id)) then
    perform pg_notify('flow_run_news', announce_run_news.flow_run_id::text);
  end if;
end;
$$;
comment on function private.announce_run_news(uuid, private.news_topic) is
  'Tells the sessions that follow a root run for this topic that this transaction has news of it, when it commits. NOTIFY makes commits wait for each other, so it is sent only if somebody follows the run, or rarely one whose lock has the same number. The caller has the run''s row locked.';

create function private.listen_for_run_news()
returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_place integer;
begin
  -- A listener holds a connection and many locks, which others need too: all together use an eighth of the connections, and half of what
  -- the lock table is made for.
  for v_place in 1 .. greatest(current_setting('max_connections')::integer / 8, 1) loop
    if pg_try_advisory_lock(hashtext('private.listen_for_run_news'), v_place) then
      -- The connection of a listener that is gone ends soon, and with it the locks.
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
  'Makes this session listen for news of runs, and returns how many runs it may follow: four times max_locks_per_transaction. 0: it may not, since as many sessions listen as may, an eighth of max_connections. A session that listens and says nothing for a minute is ended.';
grant execute on function private.listen_for_run_news() to service_role;

create function private.follow_flow_runs(flow_run_ids uuid[], topic private.news_topic)
returns setof uuid
language plpgsql volatile security invoker
set search_path = ''
-- The first plan is kept. It may be made while the table is empty, and must be good for a full one too.
set enable_seqscan = off
as $$
begin
  return query
  -- Materialized, so that no lock is taken of a run that does not qualify.
  with root as materialized (
    select r.id from public.flow_run as r where r.id = any (follow_flow_runs.flow_run_ids) and r.parent_flow_run_id is null
  )
  select root.id from root where pg_try_advisory_lock_shared(hashtext('private.announce_run_news/' || follow_flow_runs.topic), uuid_hash(root.id));
end;
$$;
comment on function private.follow_flow_runs(uuid[], private.news_topic) is
  'This session follows these root runs for this topic from now on, until it calls unfollow_flow_runs as often, or ends. Returns those that it follows: a called run can''t be followed, nor a run of which a transaction has news right now. Look at a run after that: what was committed before is not announced any more.';
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
comment on function private.unfollow_flow_runs(uuid[], private.news_topic) is 'This session follows these runs no more for this topic: the opposite of follow_flow_runs. A run that it followed twice is named twice.';
grant execute on function private.unfollow_flow_runs(uuid[], private.news_topic) to service_role;
