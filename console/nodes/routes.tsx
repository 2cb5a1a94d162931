import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { DefinitionPage } from './definition_page.tsx';
import { NodesPage } from './nodes_page.tsx';

// The pages for editing and adding load much that readers do not need.
const EditDefinitionPage = lazy(() => import('./edit_definition_page.tsx'));

const AddNodesPage = lazy(() => import('./adding/add_nodes_page.tsx'));

export default function NodesRoutes() {
  return (
    <Switch>
      <Route path='/nodes' component={NodesPage} />
      <Route path='/nodes/new'>
        <EditDefinitionPage />
      </Route>
      <Route path='/nodes/add' component={AddNodesPage} />
      <Route path='/nodes/:id'>{({ id }) => <DefinitionPage id={id} />}</Route>
      <Route path='/nodes/:id/edit'>{({ id }) => <EditDefinitionPage id={id} />}</Route>
      <Route>
        <NotFoundPage what='node definition' />
      </Route>
    </Switch>
  );
}
