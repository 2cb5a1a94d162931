create table public.wallets (
  id integer generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  type text not null,
  name text not null default '',
  public_key text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint wallets_user_id_public_key_key unique (user_id, public_key),
  constraint wallets_type_known check (
    type in ('HARDCODED', 'ADAPTER') or private.refuse_column('type', 'must be HARDCODED or ADAPTER')
  ),
  constraint wallets_name_length check (
    char_length(name) <= private.limit_name_characters()
    or private.refuse_column('name', format('must have at most %s characters', private.limit_name_characters()))
  ),
  constraint wallets_public_key_valid check (
    private.is_public_key(public_key) or private.refuse_column('public_key', 'must be a public key: base58 of 32 bytes')
  )
);
comment on table public.wallets is
  'The wallets of users, without secrets. Clients store ADAPTER wallets in this table; POST /wallets/upsert stores a HARDCODED wallet with its key pair.';
comment on column public.wallets.type is
  'HARDCODED: the secret key is stored, encrypted, and the runner signs with it. ADAPTER: the runner asks the holder of the key to sign.';
comment on column public.wallets.public_key is 'Base58 of 32 bytes.';

alter table public.wallets enable row level security;
create policy wallets_select_owner on public.wallets for select to authenticated
  using (user_id = (select auth.uid()));
create policy wallets_insert_owner on public.wallets for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy wallets_update_owner on public.wallets for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy wallets_delete_owner on public.wallets for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.wallets to authenticated;
grant select, insert, update, delete on public.wallets to service_role;

create function private.refuse_missing_keypair()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('wallet_keypair_required', 'A HARDCODED wallet needs its key pair.',
    hint => 'Send keypair, base58 of 64 bytes, to POST /wallets/upsert.');
end;
$$;
comment on function private.refuse_missing_keypair() is
  'Refuses a HARDCODED wallet that has no secret: 400 wallet_keypair_required.';
grant execute on function private.refuse_missing_keypair() to authenticated, service_role;

create function private.tg_wallets__before_insert()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- A wallet becomes HARDCODED only by an update. store_wallet inserts an ADAPTER wallet, stores its secret, and
  -- then changes the type.
  if new.type = 'HARDCODED' then
    perform private.refuse_missing_keypair();
  end if;
  return new;
end;
$$;
comment on function private.tg_wallets__before_insert() is
  'Refuses to insert a HARDCODED wallet, since it would have no secret.';
create trigger _100_refuse_hardcoded before insert on public.wallets
  for each row execute function private.tg_wallets__before_insert();

create trigger _800_check_quota after insert on public.wallets
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('wallets');

create function private.tg_wallets__before_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.user_id, new.public_key, new.created_at) is distinct from (old.user_id, old.public_key, old.created_at)
    -- A wallet with a stored secret must be HARDCODED, and any other wallet must be ADAPTER. Only store_wallet
    -- stores and deletes secrets, so only store_wallet can change the type.
    or new.type is distinct from old.type and new.type is distinct from (
      case when exists (select from private.wallet_secrets as s where s.wallet_id = old.id) then 'HARDCODED'
        else 'ADAPTER' end
    )
  then
    perform private.fail('column_read_only', 'user_id, type, public_key and created_at of a wallet can''t be changed.',
      hint => 'POST /wallets/upsert changes the type of a wallet.');
  end if;
  return new;
end;
$$;
comment on function private.tg_wallets__before_update() is
  'Refuses changes to the read-only columns of a wallet. Definer, because no API role may access the secrets.';
create trigger _100_refuse_read_only before update on public.wallets
  for each row execute function private.tg_wallets__before_update();
create trigger _200_touch before update on public.wallets
  for each row execute function private.tg_any__before_update_touch();

create function private.refuse_wallet_in_use(wallet public.wallets)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment_id uuid;
begin
  select d.id into v_deployment_id
  from public.flow_deployments as d
  where d.user_id = wallet.user_id and d.action_identity = wallet.public_key
  order by d.id desc limit 1;
  if found then
    perform private.fail('wallet_in_use',
      format('The wallet is the action identity of deployment %s.', v_deployment_id),
      jsonb_build_object('deployment_id', v_deployment_id),
      'First change the action_identity of all deployments that name this wallet.');
  end if;
end;
$$;
comment on function private.refuse_wallet_in_use(public.wallets) is
  'Raises 409 wallet_in_use if a deployment of the owner names the wallet as action_identity. Lock the wallet''s row before the call. Then the trigger _200_check_settings of deployments waits, so no new deployment can name the wallet. Definer, because it must also see deployments that policies hide.';

create function private.tg_wallets__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the user's row is gone, the user is being deleted, and the cascade deletes this wallet. Allow this deletion,
  -- even if a deployment names the wallet.
  if exists (select from auth.users as u where u.id = old.user_id) then
    perform private.refuse_wallet_in_use(old);
  end if;
  return old;
end;
$$;
comment on function private.tg_wallets__before_delete() is
  'Refuses to delete a wallet that is an action identity. Definer, because users can''t read auth.users.';
create trigger _100_refuse_in_use before delete on public.wallets
  for each row execute function private.tg_wallets__before_delete();
