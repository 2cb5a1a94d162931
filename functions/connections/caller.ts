import type { Rpc } from '../_shared/database.ts';
import { apiError } from '../_shared/api_error.ts';

/** Returns the id of the caller, who must have signed up. The database verifies the credentials. */
export async function identifyCaller(rpc: Rpc, headers: Record<string, string>): Promise<string> {
  const { user_id, is_anonymous } = await rpc<{ user_id: string; is_anonymous: boolean }>('whoami', {}, headers);
  if (is_anonymous) {
    throw apiError(
      'token_required',
      'This needs a user who has signed up: the connections of an anonymous user are lost with the session.',
    );
  }
  return user_id;
}
