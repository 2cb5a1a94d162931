-- Functions turn ways of planning off, which Postgres 17 and before count as a cost beyond any that starts the compiler (JIT): it would
-- take longer than all that a request does. Read anew by connections that are made from now on.
alter role authenticator set jit = off;
