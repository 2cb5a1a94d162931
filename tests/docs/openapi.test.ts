import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../functions/_shared/app.ts';
import type { Platform } from '../../functions/_shared/edge_platform.ts';
import { functionNames, projectFunctionsDir } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { openapiDocument, operations } from '../../dev/docs/openapi.ts';
import { flowIdSchema } from '../../types/deployment.ts';
import { errorCodes } from '../../types/errors.ts';
import { waitSchema } from '../../types/flow_run.ts';
import { asSuperuser } from '../support/tokens.ts';

/** Functions that clients do not call. */
const INTERNAL_FUNCTIONS = ['runner'];

const platform: Platform = {
  env: (name) =>
    ({
      SUPABASE_URL: 'http://localhost',
      SUPABASE_ANON_KEY: 'anon',
      SUPABASE_SERVICE_ROLE_KEY: 'service',
      WALLET_KEYS: JSON.stringify({ test: Buffer.alloc(32).toString('base64') }),
    })[name],
  fetch,
  waitUntil: () => {},
};

/** Makes the app of a function, like its index.ts. */
async function makeFunctionApp(name: string): Promise<App> {
  const module: Record<string, (platform: Platform) => App> = await import(join(projectFunctionsDir, name, 'app.ts'));
  const [make] = Object.entries(module).filter(([exported]) => /^make\w+App$/.test(exported)).map(([, value]) => value);
  if (make === undefined) throw new Error(`functions/${name}/app.ts exports no make…App`);
  return make(platform);
}

interface Schema {
  properties?: object;
  required?: string[];
}

const document = openapiDocument();
const schemas = document.components.schemas as Record<string, Schema>;

it('docs/reference/openapi.json describes exactly the routes that the Edge Functions have', async () => {
  const names = functionNames().filter((name) => !INTERNAL_FUNCTIONS.includes(name));
  const apps = await Promise.all(names.map(makeFunctionApp));
  const routes = apps.flatMap((app) => app.routes).map(({ method, path }) =>
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
  );
  const described = operations.filter(({ path }) => !path.startsWith('/rest/')).map(({ method, path }) =>
    `${method.toUpperCase()} ${path}`
  );
  expect(described.toSorted()).toEqual(routes.toSorted());
});

describe('the SQL functions that users may call', () => {
  let functions: { name: string; args: string[]; required: string[] }[];

  beforeAll(async () => {
    functions = await asSuperuser((sql) =>
      sql<typeof functions>`
        select p.proname as name, coalesce(p.proargnames[: p.pronargs], '{}') as args,
          coalesce(p.proargnames[: p.pronargs - p.pronargdefaults], '{}') as required
        from pg_proc as p
        where p.pronamespace = 'public'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
          -- Leave out computed relationships. Their argument is a row.
          and not exists (select from pg_type as t where t.oid = any (p.proargtypes) and t.typtype = 'c')
        order by p.proname`
    );
  });

  it('are exactly the RPCs that docs/reference/openapi.json describes', () => {
    const described = operations.flatMap(({ path }) => path.startsWith('/rest/v1/rpc/') ? [path.slice(13)] : []);
    expect(described.toSorted()).toEqual(functions.map(({ name }) => name));
  });

  it('have exactly the arguments that docs/reference/openapi.json describes', () => {
    for (const { name, args, required } of functions) {
      const operation = operations.find(({ path }) => path === `/rest/v1/rpc/${name}`)!;
      const { $ref } = operation.body!.schema as { $ref: string };
      const schema = schemas[$ref.split('/').at(-1)!]!;
      expect([name, Object.keys(schema.properties ?? {}).toSorted()]).toEqual([name, args.toSorted()]);
      expect([name, schema.required?.toSorted() ?? []]).toEqual([name, required.toSorted()]);
    }
  });
});

describe('a parameter that is a number', () => {
  const takes = ({ type, minimum, maximum }: { type: string; minimum: number; maximum: number }, text: string) =>
    /^\d+(\.\d+)?$/.test(text) && Number(text) >= minimum && Number(text) <= maximum &&
    (type !== 'integer' || Number.isInteger(Number(text)));
  const { flowId, wait } = document.components.parameters;

  it.each(['0', '7', '2147483647', '2147483648', '-1', '1.5', '1e3', '', 'x'])(
    'accepts a flow id %j like zod',
    (text) => {
      expect(takes(flowId.schema, text)).toBe(flowIdSchema.safeParse(text).success);
    },
  );

  it.each(['0', '25', '0.125', '999999999', '1000000000', '-1', '1e3', '.5', '', 'x'])(
    'accepts a wait %j like zod',
    (text) => {
      expect(takes(wait.schema, text)).toBe(waitSchema.safeParse({ wait: text }).success);
    },
  );
});

describe('error codes', () => {
  const sourcesOf = (folder: string, suffix: string): string[] =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix))
      .map((name) => readFileSync(join(projectDir, folder, name), 'utf8'));
  const raised = sourcesOf('sql', '.sql').flatMap((text) =>
    [...text.matchAll(/private\.(?:fail|refuse_faults)\(\s*'(\w+)'/g)].map(([, code]) => code!)
  );

  const codes: Record<string, { status: number }> = errorCodes;
  const refusing = sourcesOf('dev/stack', '.ts');

  it('of the gateway are all in types/errors.ts, with their status, except those of Supabase', () => {
    const refused = [...refusing.join('\n').matchAll(/new Refusal\(\s*(\d+),\s*'(\w+)'/g)];
    const unknown = refused.filter(([, status, code]) => codes[code!]?.status !== Number(status));
    expect(unknown.map(([, , code]) => code).sort()).toEqual(['NOT_FOUND', 'over_request_rate_limit']);
  });

  it('of SQL are all in types/errors.ts', () => {
    expect(raised.length).toBeGreaterThan(100);
    expect(raised.filter((code) => codes[code] === undefined)).toEqual([]);
  });

  it('of types/errors.ts are each used somewhere', () => {
    const text = [
      ...sourcesOf('sql', '.sql'),
      ...sourcesOf('functions', '.ts'),
      ...sourcesOf('runner', '.ts'),
      ...sourcesOf('platform', '.ts'),
      ...refusing,
    ].join('\n');
    expect(Object.keys(errorCodes).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});
