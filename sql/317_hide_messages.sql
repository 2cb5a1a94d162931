create function private.hide_messages(message_ids bigint[], seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- pgmq.set_vt does it for one message, by a statement that it writes and plans at each call: five times the cost of the update.
  update pgmq.q_flow_runs as m
  set vt = clock_timestamp() + make_interval(secs => hide_messages.seconds)
  where m.msg_id = any (hide_messages.message_ids);
end;
$$;
comment on function private.hide_messages(bigint[], integer) is
  'Keeps messages from being claimed for so many seconds from now, and no longer. Definer: the queue is private.';
