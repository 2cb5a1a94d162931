import { useSession } from './session_context.tsx';

/** Returns the id of the signed-in user. Throws if nobody is signed in, so public pages can't use this function. */
export function useUserId(): string {
  const session = useSession();
  if (typeof session !== 'object') throw new Error('Nobody is signed in.');
  return session.userId;
}
