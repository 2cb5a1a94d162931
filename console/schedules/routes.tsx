import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { SchedulesPage } from './schedules_page.tsx';

const EditSchedulePage = lazy(() => import('./edit_schedule_page.tsx'));

export default function SchedulesRoutes() {
  return (
    <Switch>
      <Route path='/schedules' component={SchedulesPage} />
      <Route path='/schedules/new'>
        <EditSchedulePage />
      </Route>
      <Route path='/schedules/:id'>{({ id }) => <EditSchedulePage key={id} id={id} />}</Route>
      <Route>
        <NotFoundPage what='schedule' />
      </Route>
    </Switch>
  );
}
