import { AuthClient, type AuthError, type Session as AuthSession } from '@supabase/auth-js';

/** The signed-in user. */
interface SignedIn {
  userId: string;
  email: string;
  /** True if the user has come by the link of a mail for a forgotten password, until there is a new password. */
  isRecovering: boolean;
}

/** `unknown` until the stored session has been read; undefined if nobody is signed in. */
export type SessionState = SignedIn | 'unknown' | undefined;

/** The store of the session. No other part of the console stores it. */
export interface SessionStore {
  state: () => SessionState;
  subscribe: (onChange: () => void) => () => void;
  /** Returns a valid access token, and renews it first if necessary; null if nobody is signed in. */
  accessToken: () => Promise<string | null>;
  signIn: (email: string, password: string) => Promise<void>;
  /** Signs up. `mustConfirm` is true if the project first requires a confirmation by mail. */
  signUp: (email: string, password: string) => Promise<{ mustConfirm: boolean }>;
  /** Has a mail sent whose link leads back here. The answer does not tell whether there is such a user. */
  recover: (email: string) => Promise<void>;
  setPassword: (password: string) => Promise<void>;
  signOut: () => Promise<void>;
}

/** The words for codes of Auth, instead of its own messages. */
const WORDS = new Map([
  ['invalid_credentials', 'The e-mail address or the password is wrong.'],
  ['user_already_exists', 'There is an account with this e-mail address. Sign in, or ask for a new password.'],
  ['email_not_confirmed', 'Follow the link in the mail that was sent to this address, then sign in.'],
]);

function assertNone(error: AuthError | null): void {
  if (error === null) return;
  const words = WORDS.get(error.code ?? '');
  throw words === undefined ? error : new Error(words, { cause: error });
}

const signedIn = (session: AuthSession | null, isRecovering: boolean): SignedIn | undefined =>
  session === null ? undefined : { userId: session.user.id, email: session.user.email ?? '', isRecovering };

/**
 * Makes the store of the session. It uses only the Auth client, so that the page for signing in does not load the rest
 * of supabase-js.
 */
export function makeSessionStore(url: string, key: string): SessionStore {
  const auth = new AuthClient({
    url: `${url}/auth/v1`,
    headers: { apikey: key },
    storageKey: `flow-console-${new URL(url).host}`,
    persistSession: true,
    autoRefreshToken: true,
    detectSessionInUrl: true,
  });
  let state: SessionState = 'unknown';
  const listeners = new Set<() => void>();
  let isRecovering = false;
  auth.onAuthStateChange((event, session) => {
    if (event === 'PASSWORD_RECOVERY') isRecovering = true;
    else if (event === 'USER_UPDATED' || event === 'SIGNED_OUT') isRecovering = false;
    const next = signedIn(session, isRecovering);
    // If the same user has only got a new token, the pages need not change.
    if (typeof state === 'object' && state.userId === next?.userId && state.isRecovering === isRecovering) return;
    state = next;
    for (const listener of listeners) listener();
  });
  return {
    state: () => state,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    accessToken: async () => (await auth.getSession()).data.session?.access_token ?? null,
    async signIn(email, password) {
      assertNone((await auth.signInWithPassword({ email, password })).error);
    },
    async signUp(email, password) {
      const { data, error } = await auth.signUp({ email, password });
      assertNone(error);
      return { mustConfirm: data.session === null };
    },
    async recover(email) {
      const redirectTo = new URL(import.meta.env.BASE_URL, window.location.href).href;
      assertNone((await auth.resetPasswordForEmail(email, { redirectTo })).error);
    },
    async setPassword(password) {
      assertNone((await auth.updateUser({ password })).error);
    },
    async signOut() {
      // The browser forgets the session even if the project does not answer.
      const { error } = await auth.signOut({ scope: 'local' });
      assertNone(error);
    },
  };
}
