import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from './empty_state.tsx';
import { Page } from './page.tsx';

/** Shown for an address that no page has, and for what is not there or is somebody else's. */
export const NotFoundPage = ({ what = 'page' }: { what?: string }) => (
  <Page title='Not found'>
    <EmptyState
      title={`There is no such ${what}`}
      action={<Anchor component={Link} href='/flows'>Go to the flows</Anchor>}
    >
      It may have been deleted, or it belongs to somebody else.
    </EmptyState>
  </Page>
);
