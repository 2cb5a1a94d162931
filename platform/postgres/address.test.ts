import { expect, it } from 'vitest';
import { readPostgresAddress } from './address.ts';

it('reads each part of an address, decoded, with the defaults of Postgres', () => {
  expect(readPostgresAddress('postgresql://flow%40worker:p%2Fw%3A%40@db.example.com/flows')).toEqual({
    servers: [{ host: 'db.example.com', port: 5432 }],
    target: 'any',
    database: 'flows',
    user: 'flow@worker',
    password: 'p/w:@',
    sslMode: 'prefer',
    hasSessions: true,
  });
  expect(readPostgresAddress('postgres://postgres@[::1]:5433')).toMatchObject({
    servers: [{ host: '::1', port: 5433 }],
    database: 'postgres',
    password: '',
  });
});

it('an address may have several hosts, each with a port', () => {
  const url =
    'postgresql://postgres:p%2Cw@a.example.com:5433,[::1],b.example.com/flows?target_session_attrs=read-write';
  expect(readPostgresAddress(url)).toMatchObject({
    servers: [{ host: 'a.example.com', port: 5433 }, { host: '::1', port: 5432 }, {
      host: 'b.example.com',
      port: 5432,
    }],
    target: 'read-write',
    password: 'p,w',
    database: 'flows',
    sslMode: 'prefer',
    hasSessions: true,
  });
});

it.each([
  ['127.0.0.1', '', 'disable'],
  ['127.0.0.1:5432,localhost:5433', '', 'disable'],
  ['127.0.0.1,db.example.com', '', 'prefer'],
  ['localhost', '', 'disable'],
  ['localhost', '?sslmode=require', 'require'],
  ['db.example.com', '', 'prefer'],
  ['db.example.com', '?sslmode=verify-full', 'verify-full'],
  ['db.example.com', '?sslmode=disable', 'disable'],
])('a connection to %s%s has the sslmode %s', (host, query, sslMode) => {
  expect(readPostgresAddress(`postgresql://postgres:secret@${host}/postgres${query}`).sslMode).toBe(sslMode);
});

it.each([
  [':5432/postgres', true],
  [':6543/postgres', false],
  [':5432,pooler.example.com:6543/postgres', false],
  [':5432/postgres?pgbouncer=true', false],
  [':6543/postgres?pgbouncer=false', true],
])('the address %s has sessions: %s', (rest, hasSessions) => {
  expect(readPostgresAddress(`postgresql://postgres:secret@pooler.example.com${rest}`).hasSessions).toBe(hasSessions);
});

it.each([
  'https://postgres:secret@db.example.com/postgres',
  'postgres:secret@db.example.com',
  'postgresql://db.example.com/postgres',
  'postgresql://postgres:secret@/postgres',
  'postgresql://postgres:secret@db.example.com:port/postgres',
  'postgresql://postgres:secret@db.example.com,/postgres',
  'postgresql://postgres:secret@db.example.com/postgres?target_session_attrs=standby',
  'postgresql://postgres:secret@db.example.com/postgres?sslmode=allow',
  'postgresql://postgres:secret@db.example.com/postgres?pgbouncer=1',
  'postgresql://postgres:100%secret@db.example.com/postgres',
])('refuses %s without quoting the password', (url) => {
  expect(() => readPostgresAddress(url)).toThrow(/^Wrong in the environment: SUPABASE_DB_URL: (?!.*secret)/);
});
