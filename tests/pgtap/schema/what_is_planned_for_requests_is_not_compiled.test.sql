-- Functions that serve requests disable some kinds of plans. If such a plan can't be avoided, Postgres before version
-- 18 adds a high cost to it, and compiles expensive plans by JIT. The compilation would take longer than the whole
-- request.
select plan(1);

select ok('jit=off' = any (r.rolconfig), 'JIT is off on PostgREST''s connections') from pg_roles as r where r.rolname = 'authenticator';

select * from finish();
