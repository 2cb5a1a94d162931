import { useSession } from './session_context.tsx';

/** The id of who is signed in. Throws on a page that strangers see too. */
export function useUserId(): string {
  const session = useSession();
  if (typeof session !== 'object') throw new Error('Nobody is signed in.');
  return session.userId;
}
