import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { WalletsPage } from './wallets_page.tsx';

export default function WalletsRoutes() {
  return (
    <Switch>
      <Route path='/wallets' component={WalletsPage} />
      <Route>
        <NotFoundPage what='wallet' />
      </Route>
    </Switch>
  );
}
