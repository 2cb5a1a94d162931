select plan(5);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();

select is(private.poke_runner(), 'pg_net is not installed', 'without pg_net no request is sent');
select test.create_pg_net();
select is(private.poke_runner(), 'Vault lacks the secret project_url or runner_key', 'without Vault no request is sent');
select test.create_vault();
select vault.create_secret('https://project.supabase.co', 'project_url'), vault.create_secret('', 'runner_key');
select is(private.poke_runner(), 'Vault lacks the secret project_url or runner_key', 'with an empty secret no request is sent');
select is_empty('select from net.request', 'no call was made');
update vault.secrets set secret = 'sb_secret_key' where name = 'runner_key';
select is(private.poke_runner(), 'request 1 is sent', 'with both secrets the request is sent');

select * from finish();
