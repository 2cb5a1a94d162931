import { nodeLimits } from '../../types/limits/nodes.ts';
import { isObject } from '../../types/values/value.ts';
import { type HttpClient, type HttpRequest, type HttpResponse, NodeError } from '../engine/node.ts';
import { answerError } from '../engine/failures/transient_answer.ts';
import { urlPathOf } from './file_place.ts';
import type { StorageProject } from './project.ts';

/** The most characters that an error quotes from a message of Storage. */
const MAX_QUOTED = 500;

/** A request to Storage. */
interface StorageRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** The route after `/storage/v1/`, such as `object/list`. */
  route: string;
  bucket: string;
  /** The file, if the URL names it. */
  path?: string;
  headers?: HttpRequest['headers'];
  body?: Uint8Array<ArrayBuffer> | object;
  maxResponseBytes?: number;
  signal: AbortSignal;
}

/** Calls the Storage API of one project with its secret key. */
export interface StorageApi {
  call: (request: StorageRequest) => Promise<HttpResponse>;
  /** Like `call`, for an answer that is JSON. */
  callForJson: (request: StorageRequest) => Promise<unknown>;
  /** Makes the URL of a route of Storage for clients. The URL never contains the secret key. */
  publicUrlOf: (route: string) => string;
}

const textMember = (json: unknown, member: string): string => {
  const value = isObject(json) ? json[member] : undefined;
  return typeof value === 'string' ? value : '';
};

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/**
 * Makes the error of an unsuccessful answer. The error quotes the message from Storage's answer `{statusCode, error,
 * message}`, but never contains the secret key, which a proxy might echo.
 */
function refusalOf(response: HttpResponse, secretKey: string): NodeError {
  const body = parseJson(response.body);
  const quoted = [textMember(body, 'error'), textMember(body, 'message')].filter((text) => text !== '').join(': ');
  const text = quoted.replaceAll(secretKey, '…').replaceAll('\0', '\uFFFD').slice(0, MAX_QUOTED).toWellFormed();
  const message = `Storage answered ${response.status}${text === '' ? '' : `: ${text}`}`;
  return answerError(response, message);
}

/**
 * Makes the client of a project's Storage. `http` may reach any address, because the operator has set the project's
 * address. Because requests carry the secret key, they go only to this address, and a redirect is an error.
 */
export function makeStorageApi(http: HttpClient, { apiUrl, publicUrl, secretKey }: StorageProject): StorageApi {
  const call = async ({ route, bucket, path, body, ...request }: StorageRequest): Promise<HttpResponse> => {
    const isJson = body !== undefined && !(body instanceof Uint8Array);
    const place = path === undefined ? encodeURIComponent(bucket) : urlPathOf({ bucket, path });
    const response = await http.request({
      maxResponseBytes: nodeLimits.storage_answer_bytes.value,
      ...request,
      url: `${apiUrl}/${route}/${place}`,
      headers: [
        ['apikey', secretKey],
        ['authorization', `Bearer ${secretKey}`],
        ...isJson ? [['content-type', 'application/json'] as [string, string]] : [],
        ...request.headers ?? [],
      ],
      ...body !== undefined && { body: isJson ? new TextEncoder().encode(JSON.stringify(body)) : body },
      refusesRedirects: true,
    });
    if (response.status < 200 || response.status > 299) throw refusalOf(response, secretKey);
    return response;
  };

  return {
    call,
    callForJson: async (request) => {
      const json = parseJson((await call(request)).body);
      if (json === undefined) throw new NodeError('Storage answered without JSON');
      return json;
    },
    publicUrlOf: (route) => `${publicUrl}/${route}`,
  };
}
