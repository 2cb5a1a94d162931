import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { SettingsPage } from './settings_page.tsx';

export default function SettingsRoutes() {
  return (
    <Switch>
      <Route path='/settings' component={SettingsPage} />
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}
