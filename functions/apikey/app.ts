import type { Context } from 'hono';
import {
  type ApiKeyInfo,
  createApiKeyParamsSchema,
  type CreateApiKeyResult,
  deleteApiKeyParamsSchema,
  type NewApiKey,
} from '../../types/api_key.ts';
import { makeApp } from '../_shared/app.ts';
import { readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import { type Deps, makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** The limit of a body, in bytes: ten times the space of a name. */
const MAX_BODY_BYTES = requestLimits.small_body_bytes.value;

/** `POST /apikey/create`: makes an API key for the caller, who shows an access token. */
const makeCreate = ({ config, rpc }: Deps) => async (context: Context): Promise<Response> => {
  const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
  const params = await readBody(context.req.raw, createApiKeyParamsSchema, MAX_BODY_BYTES);
  const { id, prefix, key, name, user_id, created_at } = await rpc<NewApiKey>('create_api_key', params, headers);
  const result: CreateApiKeyResult = { created_at, key_hash: id, name, trimmed_key: prefix, user_id, full_key: key };
  return context.json(result);
};

/** `POST /apikey/delete`: revokes an API key of the caller. */
const makeDelete = ({ config, rpc }: Deps) => async (context: Context): Promise<Response> => {
  const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
  const { key_hash } = await readBody(context.req.raw, deleteApiKeyParamsSchema, MAX_BODY_BYTES);
  await rpc('delete_api_key', { id: key_hash }, headers);
  return context.json({});
};

/** `GET /apikey/info`: returns the id of the caller's user. */
const makeInfo = ({ config, rpc }: Deps) => async (context: Context): Promise<Response> => {
  const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
  const { user_id } = await rpc<ApiKeyInfo>('whoami', {}, headers);
  const result: ApiKeyInfo = { user_id };
  return context.json(result);
};

/** Makes the Edge Function `apikey`. */
export function makeApikeyApp(platform: Platform) {
  const deps = makeDeps(platform);
  return makeApp('apikey', [
    { method: 'POST', path: '/create', handle: makeCreate(deps) },
    { method: 'POST', path: '/delete', handle: makeDelete(deps) },
    { method: 'GET', path: '/info', handle: makeInfo(deps) },
  ]);
}
