import { EmptyState } from '../shared/page/empty_state.tsx';
import { Page } from '../shared/page/page.tsx';
import { Frame } from './frame.tsx';

/** The page for a missing deployment. A deployment that the user may not start gets the same page. */
export const NothingToStart = () => (
  <Frame>
    <Page title='Not found'>
      <EmptyState title='There is nothing to start here'>
        The address may be wrong, the deployment may have been deleted, or you may not start it.
      </EmptyState>
    </Page>
  </Frame>
);
