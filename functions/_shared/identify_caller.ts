import { apiError } from '../../platform/api_error.ts';
import type { Rpc } from '../../platform/database/rpc.ts';

/**
 * Returns the id of the caller. The database verifies the credentials. Throws token_required for an anonymous user,
 * because such a user would lose the stored wallets or connections at the end of the session. `kept` names them in the
 * error.
 */
export async function identifyCaller(
  rpc: Rpc,
  headers: Record<string, string>,
  kept: 'connections' | 'node definitions' | 'wallets',
): Promise<string> {
  const { user_id, is_anonymous } = await rpc<{ user_id: string; is_anonymous: boolean }>('whoami', {}, headers);
  if (is_anonymous) {
    throw apiError(
      'token_required',
      `This call needs a user who has signed up: the ${kept} of an anonymous user are lost with the session.`,
    );
  }
  return user_id;
}
