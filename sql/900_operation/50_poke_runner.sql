-- Only hosted Supabase has pg_net and Vault, so this file calls them in dynamic SQL.
create function private.vault_secret(name text)
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_secret text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select s.decrypted_secret from vault.decrypted_secrets as s where s.name = $1'
    into v_secret using vault_secret.name;
  end if;
  return nullif(v_secret, '');
end;
$$;
comment on function private.vault_secret(text) is
  'The secret with this name in Vault; null if the secret or Vault does not exist. For administrators only.';

create function private.poke_runner()
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_url text;
  v_key text;
  v_request_id bigint;
begin
  -- While nothing is due, no request is sent.
  if not private.has_claimable_run() and not private.has_due_webhook() then
    return 'nothing is queued';
  end if;
  if to_regproc('net.http_post') is null then
    return 'pg_net is not installed';
  end if;
  v_url := private.vault_secret('project_url');
  v_key := private.vault_secret('runner_key');
  if v_url is null or v_key is null then
    return 'Vault lacks the secret project_url or runner_key';
  end if;
  execute 'select net.http_post(url => $1, headers => $2, timeout_milliseconds => 5000)'
  into v_request_id
  using rtrim(v_url, '/') || '/functions/v1/runner', jsonb_build_object('apikey', v_key);
  return format('request %s is sent', v_request_id);
end;
$$;
-- project_url and runner_key in Vault are the project's address and secret key. pg_net stores the answer to request
-- N in row N of net._http_response.
comment on function private.poke_runner() is
  'For pg_cron: if a run or a webhook delivery waits for a worker, sends POST functions/v1/runner with pg_net, using project_url and runner_key in Vault. Returns a text that says what the call did, or why it did nothing.';
