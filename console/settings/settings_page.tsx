import { Page } from '../shared/page.tsx';
import { ApiKeys } from './api_keys.tsx';
import { Webhooks } from './webhooks.tsx';

/** The credentials with which others act as the user. */
export const SettingsPage = () => (
  <Page title='Settings'>
    <ApiKeys />
    <Webhooks />
  </Page>
);
