import { z } from 'zod';
import { CONNECTION_HEADERS } from './http_headers.ts';
import { connectionLimits } from './limits/connections.ts';
import { flowLimits } from './limits/flows.ts';
import { isStorable } from './values/value.ts';

const MAX_NAME_LENGTH = flowLimits.name_characters.value;
const MAX_HOSTS = connectionLimits.connection_hosts.value;
const MAX_HOST_LENGTH = connectionLimits.connection_host_characters.value;
const MAX_SECRET_BYTES = connectionLimits.connection_secret_bytes.value;

/** Headers that only the HTTP client may set. accept-encoding is one of them if the request carries a secret. */
const CLIENT_HEADERS = new Set([...CONNECTION_HEADERS, 'accept-encoding']);

/**
 * Returns the stored form of a host: lower case, without the port 443, with the path prefix if there is one. Undefined
 * for a text that is not a host.
 */
export function normalHost(text: string): string | undefined {
  const address = `https://${text}`;
  if (/[?#@\\%\s]/.test(text) || !URL.canParse(address)) return undefined;
  const { host, pathname } = new URL(address);
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return /^[\w.:[\]-]+$/.test(host) && !/%|\/\//.test(path) ? `${host}${path}` : undefined;
}

const hostSchema = z.string().max(MAX_HOST_LENGTH, `must have at most ${MAX_HOST_LENGTH} characters`)
  .refine(
    (text) => (normalHost(text)?.length ?? Infinity) <= MAX_HOST_LENGTH,
    'must be a host, with :port and /path if the secret is only for these: api.example.com/v1',
  )
  .transform((text) => normalHost(text) ?? text);

/**
 * Makes the schema of a secret text. A secret must be long enough that a run can find it in a server's answer and
 * remove it.
 */
const secretText = (pattern: RegExp, message: string) =>
  z.string().min(8, 'must have at least 8 characters').regex(pattern, message);

const visible = 'must be visible ASCII characters';
const tokenSchema = secretText(/^[\x21-\x7e]+$/, visible);
const headerValueSchema = secretText(/^[\x21-\x7e][\x20-\x7e]*$/, `${visible} and spaces`)
  .refine((text) => !text.endsWith(' '), 'must not end in a space');
const credentialText = z.string().refine(isStorable, 'holds NUL or a lone surrogate')
  .refine((text) => [...text].every((letter) => letter >= ' ' && letter !== '\x7f'), 'holds a control character');

/** Source: RFC 7617, section 2. */
const basicSecretSchema = z.strictObject({
  user: credentialText.refine((user) => !user.includes(':'), 'must have no colon'),
  password: credentialText,
}).refine(({ user, password }) => password === '' ? user.length >= 8 : password.length >= 4, {
  path: ['password'],
  message: 'must have at least 4 characters, or be empty if the user has at least 8',
});

const clientSecretSchema = credentialText.min(8, 'must have at least 8 characters');

const tokenServer = {
  /** The URL of the token endpoint. Source: RFC 6749, section 3.2. */
  token_url: z.string().max(2_000, 'must have at most 2000 characters').refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '',
    'must be an https URL without credentials',
  ),
  client_id: credentialText.refine((text) => text !== '', 'must not be empty'),
  scope: credentialText.optional(),
  /** The way in which the client sends its secret: by Basic authentication, or in the body. */
  client_auth: z.enum(['basic', 'post'], 'must be basic or post').default('basic'),
};

/** The name of a connection. */
export const nameSchema = z.string().refine(isStorable, 'holds NUL or a lone surrogate').refine(
  (name) => name !== '' && [...name].length <= MAX_NAME_LENGTH,
  `must have 1 to ${MAX_NAME_LENGTH} characters`,
);

const common = {
  name: nameSchema,
  /** The hosts that get the secret. */
  hosts: z.array(hostSchema).min(1, 'must name a host').max(MAX_HOSTS, `must have at most ${MAX_HOSTS} hosts`),
};

/** The body of an upsert: it stores or replaces the caller's connection of this name, with its secret. */
export const upsertConnectionParamsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('bearer'), secret: z.strictObject({ token: tokenSchema }) }),
  z.strictObject({ ...common, kind: z.literal('basic'), secret: basicSecretSchema }),
  z.strictObject({
    ...common,
    kind: z.literal('header'),
    header: z.string().toLowerCase().regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header')
      .refine((name) => !CLIENT_HEADERS.has(name), 'must not be a header of the connection or the message'),
    secret: z.strictObject({ value: headerValueSchema }),
  }),
  z.strictObject({
    ...common,
    kind: z.literal('query'),
    parameter: z.string().refine(isStorable, 'holds NUL or a lone surrogate').refine(
      (name) => name !== '' && [...name].length <= 100,
      'must have 1 to 100 characters',
    ),
    secret: z.strictObject({ value: credentialText.min(8, 'must have at least 8 characters') }),
  }),
  z.strictObject({
    ...common,
    kind: z.literal('oauth2_client_credentials'),
    secret: z.strictObject({ ...tokenServer, client_secret: clientSecretSchema }),
  }),
  z.strictObject({
    ...common,
    kind: z.literal('oauth2_refresh_token'),
    secret: z.strictObject({
      ...tokenServer,
      /** An OAuth client without a secret (a public client) leaves this out. */
      client_secret: clientSecretSchema.optional(),
      refresh_token: tokenSchema,
    }),
  }),
]).refine(({ secret }) => new TextEncoder().encode(JSON.stringify(secret)).length <= MAX_SECRET_BYTES, {
  path: ['secret'],
  message: `must have at most ${MAX_SECRET_BYTES} bytes as JSON`,
});

type UpsertConnectionParams = z.infer<typeof upsertConnectionParamsSchema>;

type ConnectionKind = UpsertConnectionParams['kind'];

/** The body of a test: one request with the caller's connection of this name. */
export const testConnectionParamsSchema = z.strictObject({
  name: nameSchema,
  /** A URL on one of the connection's hosts. */
  url: z.string().max(2_000, 'must have at most 2000 characters').refine((url) => URL.canParse(url), 'must be a URL'),
  method: z.enum(['GET', 'HEAD'], 'must be GET or HEAD').default('GET'),
});

/** The answer of a test. */
export interface TestedConnection {
  /** The status of the server's answer. */
  status: number;
}

/** A connection as its owner sees it: the row of `connections`, without its secret. */
export interface Connection {
  id: string;
  user_id: string;
  name: string;
  kind: ConnectionKind;
  hosts: string[];
  header: string | null;
  parameter: string | null;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
  /** The time of the last test; null if the secret was not tested since it was stored. */
  last_tested_at: string | null;
  /** The HTTP status of the last test's answer; null if there was no test or no answer. */
  last_test_status: number | null;
}

/** The secret of a connection, by its kind. */
export type ConnectionSecret = UpsertConnectionParams extends infer Params
  ? Params extends { kind: infer Kind; secret: infer Secret } ? { kind: Kind; secret: Secret } : never
  : never;
