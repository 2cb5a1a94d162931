import { lazy, Suspense } from 'react';
import { useRoute } from 'wouter';
import { useSession } from '../session/session_context.tsx';
import { SignInPage } from '../session/sign_in_page.tsx';
import { ErrorBoundary } from '../shared/errors/error_boundary.tsx';
import { Loading } from '../shared/page/loading.tsx';
import type { ConsoleConfig } from '../shared/config.ts';

// These parts are loaded later, so that the page for signing in loads neither supabase-js nor other pages.
const SignedInApp = lazy(() => import('./signed_in_app.tsx'));
const StartApp = lazy(() => import('./start_app.tsx'));
const NewPasswordPage = lazy(() => import('../session/new_password_page.tsx'));
const DocsApp = lazy(() => import('./docs_app.tsx'));

/** Shows the start page and the documentation to everybody, and all other pages to signed-in users. */
export function App({ config }: { config: ConsoleConfig }) {
  const session = useSession();
  const [isStartPage] = useRoute('/start/*');
  const [isDocs] = useRoute('/docs/*?');
  if (session === 'unknown') return <Loading />;
  const isStranger = session === undefined;
  if (isStranger && !isStartPage && !isDocs) return <SignInPage />;
  return (
    <ErrorBoundary>
      <Suspense fallback={<Loading />}>
        {session?.isRecovering
          ? <NewPasswordPage />
          : isStartPage
          ? <StartApp config={config} />
          : isStranger
          ? <DocsApp />
          : <SignedInApp key={session.userId} config={config} />}
      </Suspense>
    </ErrorBoundary>
  );
}
