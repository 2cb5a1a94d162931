select plan(5);

create table public.try_keys (a integer, "b B" text, c integer, primary key (c, "b B") include (a));
create table public.try_no_key (a integer unique);
create view public.try_view as select * from public.try_keys;

select is(public.primary_key_columns('try_keys', 'public'), '{c,"b B"}', 'the columns have the order of the key');
select is(public.primary_key_columns('try_no_key', 'public'), '{}', 'a unique column is no primary key');
select is(public.primary_key_columns('try_view', 'public'), '{}', 'a view has none');
select is(public.primary_key_columns('try_keys', 'private'), '{}', 'a table of another schema does not count');
select test.sign_in(gen_random_uuid());
select is(test.error_code($$ select public.primary_key_columns('try_keys', 'public') $$), '42501', 'only the runner asks');
select test.sign_out();

select * from finish();
