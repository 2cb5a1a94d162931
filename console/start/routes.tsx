import { Route, Switch } from 'wouter';
import { NothingToStart } from './nothing_to_start.tsx';
import { StartPage } from './start_page.tsx';

export default function StartRoutes() {
  return (
    <Switch>
      <Route path='/start/:id'>{({ id }) => <StartPage key={id} id={id} />}</Route>
      <Route>
        <NothingToStart />
      </Route>
    </Switch>
  );
}
