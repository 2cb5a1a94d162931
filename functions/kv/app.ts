import type { Context } from 'hono';
import type { z } from 'zod';
import {
  type DeleteKvItemResult,
  kvItemParamsSchema,
  kvStoreParamsSchema,
  type KvStoreResult,
  type ReadKvItemResult,
  writeKvItemParamsSchema,
  type WriteKvItemResult,
} from '../../types/kv_store.ts';
import { makeApp } from '../_shared/app.ts';
import { readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import { makeDeps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';

const SUCCESS: KvStoreResult = { success: true };

/** Makes the Edge Function `kv` for the caller's key-value stores, which the nodes of the caller's flows share. */
export function makeKvApp(platform: Platform) {
  const { config, rpc } = makeDeps(platform);

  /**
   * Makes a route that passes its body to a SQL function. The route answers with `instead` if it is given, otherwise
   * with the result of the function.
   */
  const route = <Result extends object>(path: string, schema: z.ZodType<object>, name: string, instead?: Result) => ({
    method: 'POST' as const,
    path,
    handle: async (context: Context): Promise<Response> => {
      const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
      const result = await rpc<Result>(name, await readBody(context.req.raw, schema), headers);
      return context.json(instead ?? result);
    },
  });

  return makeApp('kv', [
    route('/create_store', kvStoreParamsSchema, 'create_kv_store', SUCCESS),
    route('/delete_store', kvStoreParamsSchema, 'delete_kv_store', SUCCESS),
    route<WriteKvItemResult>('/write_item', writeKvItemParamsSchema, 'write_kv_item'),
    route<ReadKvItemResult>('/read_item', kvItemParamsSchema, 'read_kv_item'),
    route<DeleteKvItemResult>('/delete_item', kvItemParamsSchema, 'delete_kv_item'),
  ]);
}
