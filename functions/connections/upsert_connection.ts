import type { Context } from 'hono';
import { type Connection, upsertConnectionParamsSchema } from '../../types/connection.ts';
import { readBody } from '../_shared/body.ts';
import { sealConnection } from '../../platform/secrets/connection_secrets.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { identifyCaller } from '../_shared/identify_caller.ts';
import { type KeyRing, toSealedRow } from '../../platform/secrets/sealed_secrets.ts';

/**
 * `POST /connections/upsert`: stores a connection of the caller. The database gets the secret only in encrypted form.
 */
export const makeUpsertConnection =
  ({ config, rpc, serviceRpc }: Deps, keys: KeyRing) => async (context: Context): Promise<Response> => {
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const params = await readBody(context.req.raw, upsertConnectionParamsSchema);
    const user_id = await identifyCaller(rpc, headers, 'connections');
    const { name, kind, hosts } = params;
    const id = await serviceRpc<string>('connection_id_to_store', { user_id, name });
    const connection = {
      id,
      user_id,
      name,
      kind,
      hosts,
      header: params.kind === 'header' ? params.header : null,
      parameter: params.kind === 'query' ? params.parameter : null,
    };
    const secret = toSealedRow(await sealConnection(keys, connection, params.secret));
    return context.json(await serviceRpc<Connection>('store_connection', { connection, secret }));
  };
