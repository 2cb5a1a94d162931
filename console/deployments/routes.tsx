import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { DeploymentsPage } from './deployments_page.tsx';

const DeploymentPage = lazy(() => import('./deployment_page.tsx'));

export default function DeploymentsRoutes() {
  return (
    <Switch>
      <Route path='/deployments' component={DeploymentsPage} />
      <Route path='/deployments/:id'>{({ id }) => <DeploymentPage key={id} id={id} />}</Route>
      <Route>
        <NotFoundPage what='deployment' />
      </Route>
    </Switch>
  );
}
