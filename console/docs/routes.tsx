import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { Page } from '../shared/page/page.tsx';
import { DocsList } from './docs_list.tsx';

// The Markdown renderer is loaded with a page, so the list of pages does not load it.
const DocsPage = lazy(() => import('./docs_page.tsx'));

const DocsIndex = () => (
  <Page title='Documentation' description='Guides take you through one task each. The reference has every detail.'>
    <DocsList isWide />
  </Page>
);

export default function DocsRoutes() {
  return (
    <Switch>
      <Route path='/docs' component={DocsIndex} />
      <Route path='/docs/*'>{({ '*': path }) => <DocsPage key={path} path={path} />}</Route>
    </Switch>
  );
}
