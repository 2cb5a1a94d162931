create function private.tg_any__before_update_touch()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end;
$$;
comment on function private.tg_any__before_update_touch() is
  'For triggers of tables with a column updated_at: sets this column when a row is updated.';
