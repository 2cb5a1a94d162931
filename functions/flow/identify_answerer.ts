import { ApiError } from '../../platform/api_error.ts';
import type { Config } from '../../platform/config.ts';
import { readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';

/** The caller who answers, as the database identified them. A member is null if the request has no such credential. */
interface Answerer {
  user_id: string | null;
  run_id: string | null;
}

/** Reads the credentials of an answer. Malformed ones count as none, because an open input needs no credential. */
function credentialsOf(request: Request, config: Config): Record<string, string> {
  try {
    return readCredentials(request, config).headers;
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}

/** Makes a function that finds out who answers. It throws pending_input_not_found if the caller may not answer. */
export function makeIdentifyAnswerer({ config, rpc, serviceRpc }: Deps) {
  return async (request: Request, token: string, owner: string): Promise<Answerer> => {
    const headers = credentialsOf(request, config);
    if (Object.keys(headers).length > 0) {
      try {
        return await rpc<Answerer>('input_answerer', { token }, headers);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
    }
    return await serviceRpc<Answerer>('input_answerer', { token }, {}, { turnOf: `inputs of ${owner}` });
  };
}
