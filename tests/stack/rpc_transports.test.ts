import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { ApiError } from '../../platform/api_error.ts';
import { makeRpc, type Rpc } from '../../platform/database/rpc.ts';
import { readPostgresAddress } from '../../platform/postgres/address.ts';
import { makePostgresRpc } from '../../platform/postgres/postgres_rpc.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { type FlakyProxy, startFlakyProxy } from '../support/flaky_proxy.ts';
import { waitFor } from '../support/wait.ts';
import { makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** SQL functions of schema public for this suite. */
const FUNCTIONS = `
create function public.try_arguments(
  a_text text, an_integer integer, a_bigint bigint, a_numeric numeric, a_boolean boolean, a_json jsonb, a_uuid uuid, a_time timestamptz,
  texts text[], uuids uuid[], jsons jsonb[], with_default text default 'default'
) returns jsonb language sql begin atomic
  select jsonb_build_object(
    'a_text', a_text, 'an_integer', an_integer, 'a_bigint', a_bigint, 'a_numeric', a_numeric, 'a_boolean', a_boolean, 'a_json', a_json,
    'a_uuid', a_uuid, 'a_time', a_time at time zone 'UTC', 'texts', texts, 'uuids', uuids, 'jsons', jsons, 'with_default', with_default
  );
end;
create function public.try_text(value text) returns text language sql begin atomic select value; end;
create function public.try_json(value jsonb) returns jsonb language sql begin atomic select value; end;
create function public.try_nothing() returns void language plpgsql as 'begin end';
create function public.try_bigint() returns bigint language sql begin atomic select 9007199254740991; end;
create function public.try_boolean() returns boolean language sql begin atomic select true; end;
create function public.try_time() returns timestamptz language sql begin atomic select timestamptz '2026-01-02 03:04:05.678901+00'; end;
create function public.try_array() returns uuid[] language sql begin atomic
  select array['00000000-0000-4000-8000-000000000001', null]::uuid[];
end;
create function public.try_rows(count integer) returns table (id bigint, at timestamptz, answer text, value jsonb)
language sql begin atomic
  select n, timestamptz '2026-01-02 03:04:05+00', 'row ' || n, null::jsonb from generate_series(1, count) as n;
end;
create function public.try_set(count integer) returns setof bigint language sql begin atomic select n from generate_series(1, count) as n; end;
create function public.try_row(out one integer, out two text) language sql begin atomic select 1, 'two'; end;
create function public.try_fail(code text, details jsonb, headers jsonb) returns void language plpgsql as $$
begin
  perform private.fail(try_fail.code, 'It can''t be.', try_fail.details, 'Try something else.', try_fail.headers);
end $$;
create function public.try_state(state text) returns void language plpgsql as $$
begin
  raise exception using errcode = try_state.state, message = 'raised';
end $$;
create function public.try_sleep(seconds double precision) returns text language plpgsql as $$
begin
  perform pg_sleep(try_sleep.seconds);
  return 'slept';
end $$;
create function public.try_context() returns jsonb language sql begin atomic
  select jsonb_build_object(
    'role', current_setting('role'), 'user', current_user, 'auth', auth.jwt() ->> 'role', 'search_path', current_setting('search_path'),
    'statement_timeout', current_setting('statement_timeout'), 'lock_timeout', current_setting('lock_timeout'),
    'jit', current_setting('jit')
  );
end;
create function public.try_header(name text) returns text language sql begin atomic select private.request_header(name); end;
create function public.try_secret() returns text language sql begin atomic select 'not for the service role'::text; end;
create table public.try_writes (id integer primary key);
create function public.try_write(id integer, fails boolean) returns void language plpgsql as $$
begin
  insert into public.try_writes (id) values (try_write.id);
  if try_write.fails then raise 'no'; end if;
end $$;
grant select, insert, delete on public.try_writes to service_role;
grant execute on all functions in schema public to service_role;
revoke execute on function public.try_secret() from service_role;
`;

interface Transport {
  name: string;
  /** Returns the address of the server that the transport calls. */
  target: (status: StackStatus) => string;
  make: (url: string, status: StackStatus) => { rpc: Rpc; close: () => void };
}

const overPostgres = (query: string): Transport['make'] => (url) => {
  const address = readPostgresAddress(`${url}${query}`);
  return makePostgresRpc({ address, maxConnections: 4, keptConnections: 1, idleMs: 60_000 });
};

const transports: Transport[] = [
  {
    name: 'PostgREST',
    target: (status) => status.API_URL,
    make: (supabaseUrl, { SERVICE_ROLE_KEY: key }) => ({
      rpc: makeRpc({ restUrl: `${supabaseUrl}/rest/v1`, apikey: key, authorization: `Bearer ${key}`, fetch }),
      close: () => {},
    }),
  },
  { name: 'Postgres', target: (status) => status.DB_URL, make: overPostgres('') },
  {
    name: 'Postgres by transactions',
    target: (status) => status.DB_URL,
    make: overPostgres('?pgbouncer=true'),
  },
];

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('transports');
  const owner = connect(workers.stack.status.DB_URL);
  await owner.unsafe(FUNCTIONS);
  await owner.end();
  const { API_URL, SERVICE_ROLE_KEY: key } = workers.stack.status;
  const rpc = makeRpc({ restUrl: `${API_URL}/rest/v1`, apikey: key, authorization: `Bearer ${key}`, fetch });
  await waitFor(() => rpc('try_context', {}).then(() => true as const, () => undefined));
});
afterAll(() => workers?.remove());

const UNAVAILABLE = [503, 'service_unavailable', { 'retry-after': '1' }];

describe.each(transports)('over $name', ({ name, target, make }) => {
  let proxy: FlakyProxy;
  let transport: ReturnType<Transport['make']>;
  const rpc: Rpc = (...call) => transport.rpc(...call);

  beforeAll(async () => {
    proxy = await startFlakyProxy(target(workers.stack.status));
  });
  beforeEach(() => {
    proxy.open();
    const url = new URL(target(workers.stack.status));
    url.port = new URL(proxy.url).port;
    transport = make(String(url).replace(/\/$/, ''), workers.stack.status);
  });
  afterEach(() => transport.close());
  afterAll(() => proxy.close());

  const errorOf = async (call: Promise<unknown>): Promise<ApiError> => {
    const error = await call.then((result) => ({ result }), (reason) => reason);
    expect(error).toBeInstanceOf(ApiError);
    return error;
  };
  const outcomeOf = async (call: Promise<unknown>) => {
    const { status, code, headers } = await errorOf(call);
    return [status, code, headers];
  };
  /** Lists the backends that now execute a function. */
  const executing = (name: string) =>
    waitFor(async () => {
      const rows = await workers.sql`
        select a.pid from pg_stat_activity as a
        where a.state = 'active' and a.query like ${`%${name}%`} and a.pid <> pg_backend_pid()`;
      return rows.length > 0 ? rows.map(({ pid }) => pid as number) : undefined;
    });

  it('arguments arrive unchanged', async () => {
    const values = {
      a_text: `a 'quoted' "text" with \\ and { , } and \n and é 🦀 $1 ? ::text`,
      an_integer: -5,
      a_bigint: 9007199254740991,
      a_numeric: 1.5,
      a_boolean: false,
      a_json: { a: [1, 'two', null, { "it's": '\\"{}' }], b: null },
      a_uuid: '00000000-0000-4000-8000-0000000000aa',
      texts: ['plain', 'with "quotes"', 'back\\slash', '', 'NULL', '{a,b}', null, "it's"],
      uuids: ['00000000-0000-4000-8000-000000000001'],
      jsons: [{ a: 1 }, 'text', [1, 2], true],
    };
    expect(await rpc('try_arguments', { ...values, a_time: '2026-01-02T03:04:05.678Z', with_default: undefined }))
      .toEqual({ ...values, a_time: '2026-01-02T03:04:05.678', with_default: 'default' });
  });

  it.each([
    ['null', { value: null }, null],
    ['a number', { value: 1.25 }, '1.25'],
    ['an object', { value: { a: 1 } }, '{"a":1}'],
    ['true', { value: true }, 'true'],
    ['empty', { value: '' }, ''],
  ])('a text argument given as %s arrives as its text', async (_what, args, text) => {
    expect(await rpc('try_text', args)).toBe(text);
  });

  it.each([[null], ['text'], [5], [true], [[]], [[1, 'a', { b: null }]], [{ 'a"': "'\\" }]])(
    'the JSON %j is returned unchanged',
    async (value) => {
      expect(await rpc('try_json', { value })).toEqual(value);
    },
  );

  it('results are the same JSON as that of PostgREST', async () => {
    expect(await rpc('try_nothing', {})).toBeNull();
    expect(await rpc('try_bigint', {})).toBe(9007199254740991);
    expect(await rpc('try_boolean', {})).toBe(true);
    expect(await rpc('try_time', {})).toBe('2026-01-02T03:04:05.678901+00:00');
    expect(await rpc('try_array', {})).toEqual(['00000000-0000-4000-8000-000000000001', null]);
    expect(await rpc('try_row', {})).toEqual({ one: 1, two: 'two' });
    expect(await rpc('try_rows', { count: 0 })).toEqual([]);
    expect(await rpc('try_rows', { count: 2 })).toEqual([
      { id: 1, at: '2026-01-02T03:04:05+00:00', answer: 'row 1', value: null },
      { id: 2, at: '2026-01-02T03:04:05+00:00', answer: 'row 2', value: null },
    ]);
    expect(await rpc('try_set', { count: 3 })).toEqual([1, 2, 3]);
  });

  it('calls act as the service role, within its time limits', async () => {
    expect(await rpc('try_context', {})).toEqual({
      role: 'service_role',
      user: 'service_role',
      auth: 'service_role',
      search_path: expect.stringMatching(/^("?public"?, )+"?extensions"?$/),
      statement_timeout: '8s',
      lock_timeout: '8s',
      jit: 'off',
    });
    expect(await outcomeOf(rpc('try_secret', {}))).toEqual([500, 'internal', {}]);
  });

  it('headers apply to one call only, and a false run token is refused', async () => {
    expect(await rpc('try_header', { name: 'x-try' }, { 'x-try': "it's \\" })).toBe("it's \\");
    expect(await rpc('try_header', { name: 'x-try' })).toBeNull();
    const error = await errorOf(rpc('try_header', { name: 'x-try' }, { 'x-flow-run-token': 'fr_false' }));
    expect([error.status, error.code]).toEqual([401, 'token_invalid']);
  });

  it('an error that SQL raises keeps all its parts, with details and Retry-After', async () => {
    const details = { path: ['a', 0], text: 'é "' };
    const args = { code: 'queue_full', details, headers: { 'Retry-After': '10', 'X-Other': '1' } };
    const error = await errorOf(rpc('try_fail', args));
    expect([error.status, error.headers, error.toBody()]).toEqual([429, { 'retry-after': '10' }, {
      code: 'queue_full',
      message: "It can't be.",
      details,
      hint: 'Try something else.',
      error: "It can't be.",
    }]);
    const bare = await errorOf(rpc('try_fail', { code: 'claim_lost', details: null, headers: {} }));
    expect([bare.status, bare.code, bare.details, bare.headers]).toEqual([409, 'claim_lost', null, {}]);
  });

  it.each(['08006', '08P01', '40001', '40P01', '53000', '53100', '53200', '53300', '53400', '55P03', '57014', '57P03'])(
    'the SQLSTATE %s means that the call may be repeated',
    async (state) => {
      // PostgREST itself repeats such a transaction, here until the time limit of the call.
      if (state === '40001' && name === 'PostgREST') return;
      expect(await outcomeOf(rpc('try_state', { state }))).toEqual(UNAVAILABLE);
    },
  );

  it.each(['P0001', 'XX000', '23505', '22012', '42501'])('the SQLSTATE %s becomes an internal error', async (state) => {
    expect(await outcomeOf(rpc('try_state', { state }))).toEqual([500, 'internal', {}]);
  });

  it.each([
    ['NUL in a text', 'try_text', { value: 'a\0b' }],
    ['NUL in JSON', 'try_json', { value: { a: 'a\0b' } }],
    ['half of a character in a text', 'try_text', { value: 'a\ud800' }],
    ['half of a character in JSON', 'try_json', { value: ['\ud800'] }],
    ['a malformed UUID', 'try_arguments', {
      a_text: '',
      an_integer: 0,
      a_bigint: 0,
      a_numeric: 0,
      a_boolean: true,
      a_json: null,
      a_uuid: 'no uuid',
      a_time: null,
      texts: [],
      uuids: [],
      jsons: [],
    }],
  ])('%s is refused', async (_what, name, args) => {
    expect(await outcomeOf(rpc(name, args))).toEqual([400, 'request_invalid', {}]);
    expect(await rpc('try_text', { value: 'the next call' })).toBe('the next call');
  });

  it.each([
    ['a function that does not exist', 'try_what_is_not_there', {}],
    ['an argument that it does not have', 'try_text', { value: 'a', other: 'b' }],
    ['no argument where it needs one', 'try_text', {}],
    ['a function of another schema', 'fail', { status: 400, code: 'a', message: 'b' }],
  ])('a call of %s fails', async (_what, name, args) => {
    expect(await outcomeOf(rpc(name, args))).toEqual([500, 'internal', {}]);
  });

  it('a call is one transaction', async () => {
    expect(await outcomeOf(rpc('try_write', { id: 1, fails: true }))).toEqual([500, 'internal', {}]);
    await rpc('try_write', { id: 2, fails: false });
    expect(await workers.sql`delete from public.try_writes returning id`).toEqual([{ id: 2 }]);
  });

  it('large arguments and results arrive complete', async () => {
    const value = Array.from({ length: 50_000 }, (_, n) => `${n} '"\\ é`);
    expect(await rpc('try_json', { value })).toEqual(value);
    const text = 'x'.repeat(8 * 1_048_576);
    expect(await rpc('try_text', { value: text })).toBe(text);
  });

  it('concurrent calls each get their own answer', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, async (_, n) => {
      if (n % 10 === 3) return await outcomeOf(rpc('try_state', { state: 'XX000' }));
      if (n % 10 === 7) return await rpc('try_rows', { count: 1 });
      return await rpc('try_text', { value: `${n}` });
    }));
    answers.forEach((answer, n) => {
      if (n % 10 === 3) expect(answer).toEqual([500, 'internal', {}]);
      else if (n % 10 === 7) expect(answer).toMatchObject([{ id: 1 }]);
      else expect(answer).toBe(`${n}`);
    });
  });

  it('a call whose backend is ended fails as repeatable, and the next one succeeds', async () => {
    const call = outcomeOf(rpc('try_sleep', { seconds: 60 }));
    for (const pid of await executing('try_sleep')) await workers.sql`select pg_terminate_backend(${pid})`;
    expect(await call).toEqual(UNAVAILABLE);
    expect(await waitFor(() => rpc('try_text', { value: 'again' }).catch(() => undefined))).toBe('again');
  });

  it('a call whose connection breaks fails as repeatable', async () => {
    const call = outcomeOf(rpc('try_sleep', { seconds: 60 }));
    const [pid] = await executing('try_sleep');
    proxy.shut();
    expect(await call).toEqual(UNAVAILABLE);
    await workers.sql`select pg_terminate_backend(${pid!})`;
    expect(await outcomeOf(rpc('try_text', { value: 'too soon' }))).toEqual(UNAVAILABLE);
    proxy.open();
    expect(await rpc('try_text', { value: 'again' })).toBe('again');
  });

  // PostgREST is notified of a migration, and answers by the old schema until it has read the new one.
  it.runIf(name !== 'PostgREST')('a function that a migration has changed is called by its new signature', async () => {
    const replace = (created: string) =>
      workers.sql.unsafe(`
        drop function if exists public.try_changing;
        ${created};
        grant execute on all functions in schema public to service_role;
        revoke execute on function public.try_secret() from service_role`);
    const returning = (args: string, result: string) =>
      replace(`create function public.try_changing(${args}) returns text language sql as $$ select ${result} $$`);
    await returning('value integer', '(value + 1)::text');
    expect(await rpc('try_changing', { value: 7 })).toBe('8');
    await returning('value text', `value || '!'`);
    expect(await rpc('try_changing', { value: '7' })).toBe('7!');
    await returning('value text, more text', 'value || more');
    expect(await rpc('try_changing', { value: '7', more: '?' })).toBe('7?');
    await returning('value text', 'value');
    expect((await outcomeOf(rpc('try_changing', { value: '7', more: '?' }))).slice(0, 1)).toEqual([500]);
    expect(await rpc('try_changing', { value: '7' })).toBe('7');
    // This function calls a missing one. The call is tried again, and then reported.
    await replace(`create function public.try_changing(value text) returns text language plpgsql as
      $$ begin return public.try_missing(value); end $$`);
    expect((await outcomeOf(rpc('try_changing', { value: '7' }))).slice(0, 1)).toEqual([500]);
    await replace('select 1');
  });

  it('a call that exceeds the statement timeout of the role fails as repeatable', async () => {
    await workers.sql`alter role service_role set statement_timeout = '300ms'`;
    await workers.sql`notify pgrst, 'reload config'`;
    try {
      await waitFor(async () => {
        transport.close();
        transport = make(target(workers.stack.status), workers.stack.status);
        const { statement_timeout } = await rpc<{ statement_timeout: string }>('try_context', {});
        return statement_timeout === '300ms' || undefined;
      });
      expect(await outcomeOf(rpc('try_sleep', { seconds: 60 }))).toEqual(UNAVAILABLE);
      expect(await rpc('try_text', { value: 'again' })).toBe('again');
    } finally {
      await workers.sql`alter role service_role reset statement_timeout`;
      await workers.sql`notify pgrst, 'reload config'`;
    }
  });
});
