-- Functions that serve requests disable some kinds of plans. If no other plan is possible, Postgres before version 18
-- adds a high cost to the disabled plan. Because of this cost, JIT would compile the plan, which takes longer than the
-- whole request.
select plan(1);

select ok('jit=off' = any (r.rolconfig), 'JIT is off on PostgREST''s connections') from pg_roles as r where r.rolname = 'authenticator';

select * from finish();
