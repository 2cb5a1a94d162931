import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { RunsPage } from './list/runs_page.tsx';

// The canvas is loaded with the page of a run, so the list of runs does not load it.
const RunPage = lazy(() => import('./run_page.tsx'));

export default function RunsRoutes() {
  return (
    <Switch>
      <Route path='/runs' component={RunsPage} />
      <Route path='/runs/:id'>{({ id }) => <RunPage key={id} id={id} />}</Route>
      <Route>
        <NotFoundPage what='run' />
      </Route>
    </Switch>
  );
}
