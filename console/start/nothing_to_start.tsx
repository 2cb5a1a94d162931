import { Button } from '@mantine/core';
import { EmptyState } from '../shared/empty_state.tsx';
import { Page } from '../shared/page.tsx';
import { Frame } from './frame.tsx';

/** The same page for a missing deployment and for one that the caller may not start. */
export const NothingToStart = ({ onSignIn }: { onSignIn?: (() => void) | undefined }) => (
  <Frame>
    <Page title='Not found'>
      <EmptyState
        title='There is nothing to start here'
        action={onSignIn && <Button variant='default' onClick={onSignIn}>Sign in</Button>}
      >
        The address may be wrong, it may have been deleted, or it is not for you.
        {onSignIn && ' With an account you may see more.'}
      </EmptyState>
    </Page>
  </Frame>
);
