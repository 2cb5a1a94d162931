import type { Context } from 'hono';
import { ADMISSION_OPTIONS, makeAdmission } from '../../platform/admission.ts';
import { apiError } from '../../platform/api_error.ts';
import type { KeyRing } from '../../platform/secrets/sealed_secrets.ts';
import { openStoredConnection, type StoredConnection } from '../../runner/connections/open_connection.ts';
import { type Credential, type HttpClient, type HttpResponse, NodeError } from '../../runner/engine/node.ts';
import { isSuccess } from '../../runner/values/response_value.ts';
import { textOfBody } from '../../runner/values/response_text.ts';
import { type ReadDocument, readDocumentParamsSchema } from '../../types/described/document.ts';
import { readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { identifyCaller } from '../_shared/identify_caller.ts';

/** The most requests of one caller at a time. */
const MAX_CALLER_REQUESTS = 2;

export interface DocumentServices {
  /** Reads the keys that open connections. */
  readKeys: () => KeyRing;
  http: HttpClient;
  /** Requests access tokens of connections. */
  tokenHttp: HttpClient;
  /** True if secrets may be sent over http. */
  allowsHttp: boolean;
}

/** Returns the text of an answer. Servers send YAML with many types, so every text in UTF-8 counts. */
function textOf({ status, headers, body }: HttpResponse): string {
  if (!isSuccess(status)) throw new NodeError(`status code: ${status}`);
  const text = textOfBody(body, headers['content-type'] ?? '') ?? textOfBody(body, 'text/plain');
  // A text without other control characters has at most twice its length as JSON.
  if (text !== undefined && !/[^\P{Cc}\t\n\r\x7f-\x9f]/u.test(text)) return text;
  throw new NodeError('the answer is not a text');
}

/** `POST /nodes/document`: reads a document for the caller. The caller's browser or shell makes definitions of it. */
export const makeReadDocument = ({ config, rpc, serviceRpc }: Deps, services: DocumentServices) => {
  const { http, ...others } = services;
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

  return async (context: Context): Promise<Response> => {
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const { url, connection } = await readBody(context.req.raw, readDocumentParamsSchema);
    const user_id = await identifyCaller(rpc, headers, 'node definitions');
    const { signal } = context.req.raw;
    try {
      const text = await admission.admit(user_id, async () => {
        const credential = connection === undefined ? undefined : await open(user_id, connection, signal);
        return textOf(await http.request({ method: 'GET', url, headers: [], credential, signal }));
      });
      return context.json({ text } satisfies ReadDocument);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw apiError('document_unreadable', error.message, {
        hint: 'The address must be that of the document itself, not of a page that shows it.',
      });
    }
  };
};
