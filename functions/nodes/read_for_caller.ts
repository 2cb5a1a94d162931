import type { Context } from 'hono';
import { ADMISSION_OPTIONS, makeAdmission } from '../../platform/admission.ts';
import { apiError } from '../../platform/api_error.ts';
import type { KeyRing } from '../../platform/secrets/sealed_secrets.ts';
import { openStoredConnection, type StoredConnection } from '../../runner/connections/open_connection.ts';
import { type Credential, type HttpClient, NodeError } from '../../runner/engine/node.ts';
import { readDocumentParamsSchema } from '../../types/described/document.ts';
import { readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { identifyCaller } from '../_shared/identify_caller.ts';

/** The most requests of one caller at a time. */
const MAX_CALLER_REQUESTS = 2;

/** The services that the routes share. */
export interface ReaderServices {
  /** Reads the keys that open connections. */
  readKeys: () => KeyRing;
  http: HttpClient;
  /** Requests access tokens of connections. */
  tokenHttp: HttpClient;
  /** True if secrets may be sent over http. */
  allowsHttp: boolean;
}

/** What a caller wants to read. */
export interface WantedDescription {
  url: string;
  credential: Credential | undefined;
  http: HttpClient;
  signal: AbortSignal;
}

/** How a route reads a description. The hint follows the reason of a failure. */
interface Reading<T> {
  read: (wanted: WantedDescription) => Promise<T>;
  hint: string;
}

/** Makes the function with which the routes read descriptions for callers. All routes share the limits of a caller. */
export function makeReadForCaller({ config, rpc, serviceRpc }: Deps, { http, ...others }: ReaderServices) {
  // All requests of one caller may wait for slow servers. These limits keep slots free for other callers.
  const admission = makeAdmission({
    ...ADMISSION_OPTIONS,
    aloneSlots: MAX_CALLER_REQUESTS,
    sharedSlots: MAX_CALLER_REQUESTS,
  });
  const connectionServices = { rpc: serviceRpc, ...others };

  const open = async (user_id: string, name: string, signal: AbortSignal): Promise<Credential> => {
    const read = async (): Promise<StoredConnection> => {
      const stored = await serviceRpc<StoredConnection | null>('read_connection_secret', { user_id, name });
      if (stored === null) throw apiError('connection_not_found', 'There is no such connection.');
      return stored;
    };
    return await openStoredConnection(read, connectionServices, signal);
  };

  return async <T>(context: Context, { read, hint }: Reading<T>): Promise<T> => {
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const { url, connection } = await readBody(context.req.raw, readDocumentParamsSchema);
    const user_id = await identifyCaller(rpc, headers, 'node definitions');
    const { signal } = context.req.raw;
    try {
      return await admission.admit(user_id, async () => {
        const credential = connection === undefined ? undefined : await open(user_id, connection, signal);
        return await read({ url, credential, http, signal });
      });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw apiError('document_unreadable', error.message, { hint });
    }
  };
}

export type ReadForCaller = ReturnType<typeof makeReadForCaller>;
