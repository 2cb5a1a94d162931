import { verify } from 'hono/jwt';
import type { Sql } from '../postgres/postgres.ts';
import { invalidRequest, unauthorized } from './storage_error.ts';

/** A database connection in a transaction. */
export type Transaction = Parameters<Parameters<Sql['begin']>[1]>[0];

/** The claims of a caller's token. */
export type StorageClaims = { role: string; sub?: unknown };

const ROLES = new Set(['anon', 'authenticated', 'service_role']);

/**
 * Reads the claims of a request's token. If the request had a key of the project, the gateway has replaced the key by
 * the token of the key's role.
 */
export async function readClaims(request: Request, jwtSecret: string): Promise<StorageClaims> {
  const header = request.headers.get('authorization');
  if (header === null) throw invalidRequest("headers must have required property 'authorization'");
  try {
    const claims = await verify(header.replace(/^Bearer /i, ''), jwtSecret, 'HS256');
    const { role, sub } = claims;
    if (typeof role === 'string' && ROLES.has(role)) return { role, sub };
  } catch {
    throw unauthorized('Invalid Compact JWS');
  }
  throw unauthorized('Invalid Compact JWS');
}

/** Runs a transaction with the rights of a caller: policies see the role and the claims. */
export async function asCaller<T>(sql: Sql, claims: StorageClaims, work: (sql: Transaction) => Promise<T>): Promise<T> {
  const result = await sql.begin(async (tx) => {
    await tx`select set_config('role', ${claims.role}, true),
      set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
    return { value: await work(tx) };
  });
  // SAFETY: `begin` changes only the type of arrays of promises, and this result is no such array.
  return (result as { value: T }).value;
}
