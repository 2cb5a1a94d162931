-- Functions on the way of requests turn ways of planning off. Before version 18 Postgres counts as a cost whatever can't be planned otherwise,
-- and compiles what costs so much: more than all that a request does.
select plan(1);

select ok('jit=off' = any (r.rolconfig), 'not on PostgREST''s connections') from pg_roles as r where r.rolname = 'authenticator';

select * from finish();
