create function private.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'key_id', s.key_id, 'nonce', '\x' || encode(s.nonce, 'hex'), 'ciphertext', '\x' || encode(s.ciphertext, 'hex')
  )
  from public.wallets as w
  join private.wallet_secrets as s on s.wallet_id = w.id
  where w.user_id = read_wallet_secret.user_id and w.public_key = read_wallet_secret.public_key;
$$;
comment on function private.read_wallet_secret(uuid, text) is 'Does what public.read_wallet_secret says. Definer: the secrets are private.';
grant execute on function private.read_wallet_secret(uuid, text) to service_role;

create function public.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.read_wallet_secret(read_wallet_secret.user_id, read_wallet_secret.public_key);
$$;
comment on function public.read_wallet_secret(uuid, text) is
  'For the runner: the encrypted secret key of a HARDCODED wallet, {key_id, nonce, ciphertext} with bytes as \x and hex, as store_wallet takes them; null when there is none.';
grant execute on function public.read_wallet_secret(uuid, text) to service_role;
