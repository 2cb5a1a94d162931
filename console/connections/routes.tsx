import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { ConnectionPage } from './connection_page.tsx';
import { ConnectionsPage } from './connections_page.tsx';

export default function ConnectionsRoutes() {
  return (
    <Switch>
      <Route path='/connections' component={ConnectionsPage} />
      <Route path='/connections/:id'>{({ id }) => <ConnectionPage key={id} id={id} />}</Route>
      <Route>
        <NotFoundPage what='connection' />
      </Route>
    </Switch>
  );
}
