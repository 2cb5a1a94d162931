-- Functions that serve requests switch off some kinds of plans. Before version 18, Postgres adds a high cost to a plan
-- of a kind that is off but can't be avoided, and compiles expensive plans by JIT. The compilation would take longer
-- than the whole request.
select plan(1);

select ok('jit=off' = any (r.rolconfig), 'not on PostgREST''s connections') from pg_roles as r where r.rolname = 'authenticator';

select * from finish();
