import { Button } from '@mantine/core';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { Page } from '../shared/page/page.tsx';
import { Frame } from './frame.tsx';

/** The page for a missing deployment. A deployment that the caller may not start gets the same page. */
export const NothingToStart = ({ onSignIn }: { onSignIn?: (() => void) | undefined }) => (
  <Frame>
    <Page title='Not found'>
      <EmptyState
        title='There is nothing to start here'
        action={onSignIn && <Button variant='default' onClick={onSignIn}>Sign in</Button>}
      >
        The address may be wrong, the deployment may have been deleted, or you may not start it.
        {onSignIn && ' With an account you may see more.'}
      </EmptyState>
    </Page>
  </Frame>
);
