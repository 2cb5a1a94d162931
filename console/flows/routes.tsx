import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { FlowsPage } from './flows_page.tsx';

// The canvas is loaded with the editor, so the list of flows does not load it.
const EditorPage = lazy(() => import('./editor/editor_page.tsx'));

export default function FlowsRoutes() {
  return (
    <Switch>
      <Route path='/flows' component={FlowsPage} />
      <Route path='/flows/:id'>{({ id }) => <EditorPage key={id} id={id} />}</Route>
      <Route>
        <NotFoundPage what='flow' />
      </Route>
    </Switch>
  );
}
