import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { InboxPage } from './inbox_page.tsx';

export default function InboxRoutes() {
  return (
    <Switch>
      <Route path='/inbox' component={InboxPage} />
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}
