import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ErrorBoundary } from '../shared/errors/error_boundary.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';

/**
 * The pages of the navigation. Each folder has the routes below its path, and the browser loads the code of a folder
 * with the first page in it.
 */
const features = {
  flows: lazy(() => import('../flows/routes.tsx')),
  deployments: lazy(() => import('../deployments/routes.tsx')),
  runs: lazy(() => import('../runs/routes.tsx')),
  inbox: lazy(() => import('../inbox/routes.tsx')),
  nodes: lazy(() => import('../nodes/routes.tsx')),
  wallets: lazy(() => import('../wallets/routes.tsx')),
  connections: lazy(() => import('../connections/routes.tsx')),
  schedules: lazy(() => import('../schedules/routes.tsx')),
  settings: lazy(() => import('../settings/routes.tsx')),
  docs: lazy(() => import('../docs/routes.tsx')),
};

export function Pages() {
  const [location] = useLocation();
  return (
    <ErrorBoundary key={location}>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path='/'>
            <Redirect to='/flows' replace />
          </Route>
          {Object.entries(features).map(([name, Feature]) => (
            <Route key={name} path={`/${name}/*?`}>
              <Feature />
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
