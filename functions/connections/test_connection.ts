import type { Context } from 'hono';
import { openStoredConnection } from '../../runner/connections/open_connection.ts';
import type { StoredConnection } from '../../runner/connections/open_connection.ts';
import { type Credential, type HttpClient, NodeError } from '../../runner/engine/node.ts';
import { testConnectionParamsSchema, type TestedConnection } from '../../types/connection.ts';
import { errorCode } from '../../types/run_errors.ts';
import { ADMISSION_OPTIONS, makeAdmission } from '../../platform/admission.ts';
import { apiError } from '../../platform/api_error.ts';
import { readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { identifyCaller } from '../_shared/identify_caller.ts';
import type { KeyRing } from '../../platform/secrets/sealed_secrets.ts';

/** The most bytes of the answer's body that are received. Only the status of the answer is used. */
const MAX_BODY_BYTES = 1_024;

interface ConnectionTests {
  keys: KeyRing;
  http: HttpClient;
  /** True if secrets may be sent over http. */
  allowsHttp: boolean;
}

/**
 * `POST /connections/test`: sends one request with a connection of the caller, and answers with only the status of the
 * response.
 */
export const makeTestConnection = ({ config, rpc, serviceRpc }: Deps, { keys, http, allowsHttp }: ConnectionTests) => {
  // All tests of one caller may wait for slow servers. These limits keep slots free for other callers.
  const admission = makeAdmission({ ...ADMISSION_OPTIONS, aloneSlots: 4, sharedSlots: 2 });

  const services = { rpc: serviceRpc, readKeys: () => keys, tokenHttp: http, allowsHttp };

  return async (context: Context): Promise<Response> => {
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const { name, url, method } = await readBody(context.req.raw, testConnectionParamsSchema);
    const user_id = await identifyCaller(rpc, headers, 'connections');
    let tested: StoredConnection | undefined;
    const read = async (): Promise<StoredConnection> => {
      const stored = await serviceRpc<StoredConnection | null>('read_connection_secret', { user_id, name });
      if (stored === null) throw apiError('connection_not_found', 'There is no such connection.');
      tested = stored;
      return stored;
    };
    const store = async (status: number | null): Promise<void> => {
      if (tested === undefined) return;
      await serviceRpc('store_connection_test', { connection_id: tested.id, nonce: tested.nonce, status });
    };
    const request = async (credential: Credential): Promise<TestedConnection> => {
      const { status } = await http.request({
        method,
        url,
        headers: [],
        credential,
        refusesRedirects: true,
        takesPartOfBody: true,
        maxResponseBytes: MAX_BODY_BYTES,
        signal: context.req.raw.signal,
      });
      await store(status);
      return { status };
    };
    try {
      return context.json(
        await admission.admit(
          user_id,
          async () => await request(await openStoredConnection(read, services, context.req.raw.signal)),
        ),
      );
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      // If the URL has another host, it was refused before the request. That refusal is not stored, because nothing was
      // tested.
      if (errorCode(error.message) !== 'connection_url_refused') await store(null);
      throw apiError('connection_test_failed', error.message);
    }
  };
};
