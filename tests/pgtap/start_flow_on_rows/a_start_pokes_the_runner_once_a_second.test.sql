select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.deploy(test.kept('flow')::integer);
select test.sign_out();
select test.create_pg_net(), test.create_vault();
select vault.create_secret('https://project.supabase.co', 'project_url'), vault.create_secret('sb_secret_key', 'runner_key');
create table public.notes (id integer primary key);
select private.start_flow_on_rows('public.notes', '{insert}', test.kept('flow')::integer, null, 'change');

select setval('private.row_start_pokes', 0);
insert into public.notes (id) values (1);
select is(count(*), 1::bigint, 'a start pokes the runner') from net.request;
-- A time in the future stands for a poke within the last second.
select setval('private.row_start_pokes', (extract(epoch from clock_timestamp()) * 1000)::bigint + 60000);
insert into public.notes (id) values (2);
select is(count(*), 1::bigint, 'a start within the same second does not') from net.request;
select setval('private.row_start_pokes', (extract(epoch from clock_timestamp()) * 1000)::bigint - 1000);
insert into public.notes (id) values (3);
select is(count(*), 2::bigint, 'a start a second later does') from net.request;
select setval('private.row_start_pokes', 0);
drop table net.request;
select lives_ok('insert into public.notes (id) values (4)', 'a failing poke leaves the write');

select * from finish();
