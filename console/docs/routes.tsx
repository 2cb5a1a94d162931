import { Route, Switch } from 'wouter';
import DocsPage from './docs_page.tsx';
import { FIRST_PAGE } from './pages.ts';

export default function DocsRoutes() {
  return (
    <Switch>
      <Route path='/docs'>
        <DocsPage path={FIRST_PAGE} />
      </Route>
      <Route path='/docs/*'>{({ '*': path }) => <DocsPage key={path} path={path} />}</Route>
    </Switch>
  );
}
