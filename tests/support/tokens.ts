import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { signAccessToken } from './access_token.ts';
import { makeClient, type Person } from './people.ts';

/** Signs an access token as Supabase Auth does. `secret` and `expiresIn` can make the token invalid. */
export const accessToken = (
  userId: string,
  options: { isAnonymous?: boolean; secret?: string; expiresIn?: number } = {},
): Promise<string> => signAccessToken(userId, { ...options, secret: options.secret ?? inject('stack').JWT_SECRET });

/** Runs work as superuser, on a new connection. */
export async function asSuperuser<Result>(work: (sql: ReturnType<typeof connect>) => Promise<Result>): Promise<Result> {
  const sql = connect(inject('stack').SUPERUSER_URL);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/**
 * Makes a user of Supabase's anonymous sign-in. The local Auth API has no anonymous sign-in, so this makes a row and a
 * token like those of hosted Supabase.
 */
export async function anonymousSignIn(): Promise<{ id: string; token: string }> {
  const id = randomUUID();
  await asSuperuser((sql) => sql`insert into auth.users (id, is_anonymous) values (${id}, true)`);
  return { id, token: await accessToken(id, { isAnonymous: true }) };
}

export const deleteUser = (id: string) => asSuperuser((sql) => sql`delete from auth.users where id = ${id}`);

/** Makes a new API key of a user. */
export async function createApiKey(person: Person, name = 'test'): Promise<{ id: string; key: string }> {
  const { data, error } = await person.client.rpc('create_api_key', { name });
  if (error !== null) throw new Error(error.message);
  return data as { id: string; key: string };
}

/** Makes a supabase-js client that sends further headers with every request. */
export const clientWith = (headers: Record<string, string>) => {
  const client = makeClient();
  const rest = client as unknown as { rest: { headers: Headers } };
  for (const [name, value] of Object.entries(headers)) rest.rest.headers.set(name, value);
  return client;
};
