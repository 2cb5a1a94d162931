import { createContext, type ReactNode, use, useSyncExternalStore } from 'react';
import type { SessionState, SessionStore } from './session.ts';

const SessionContext = createContext<SessionStore | undefined>(undefined);

export const SessionProvider = ({ store, children }: { store: SessionStore; children: ReactNode }) => (
  <SessionContext value={store}>{children}</SessionContext>
);

/** Returns the store of the session. Throws outside of a SessionProvider. */
export function useSessionStore(): SessionStore {
  const store = use(SessionContext);
  if (store === undefined) throw new Error('There is no SessionProvider.');
  return store;
}

/** Returns the present session and follows its changes. */
export function useSession(): SessionState {
  const store = useSessionStore();
  return useSyncExternalStore(store.subscribe, store.state);
}
