import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from './empty_state.tsx';
import { Page } from './page.tsx';

/** Shown for an unknown address, and for objects that do not exist or belong to another user. */
export const NotFoundPage = ({ what = 'page' }: { what?: string }) => (
  <Page title='Not found'>
    <EmptyState
      title={`There is no such ${what}`}
      action={<Anchor component={Link} href='/flows'>Go to the flows</Anchor>}
    >
      {what === 'page' ? 'The address may be wrong.' : 'It may have been deleted, or it belongs to somebody else.'}
    </EmptyState>
  </Page>
);
