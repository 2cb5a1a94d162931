create table private.node_publishers (
  user_id uuid primary key references auth.users (id) on delete cascade
);
comment on table private.node_publishers is
  'Users whose node definitions are public. Administrators of the project edit this table in SQL. A change applies only to definitions that the user posts after the change.';

create function private.node_poster(out user_id uuid, out is_publisher boolean)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
begin
  user_id := private.require_user();
  is_publisher := exists (select from private.node_publishers as p where p.user_id = node_poster.user_id);
end;
$$;
comment on function private.node_poster() is
  'The calling user, and whether that user''s node definitions are public; 401 unauthenticated if the caller is not a user. Definer, because no API role may access private.node_publishers.';
grant execute on function private.node_poster() to authenticated;
