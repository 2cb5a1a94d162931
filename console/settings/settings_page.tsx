import { Page } from '../shared/page.tsx';
import { ApiKeys } from './api_keys.tsx';
import { Webhooks } from './webhooks.tsx';

/** What a user lets others use in their name. */
export const SettingsPage = () => (
  <Page title='Settings'>
    <ApiKeys />
    <Webhooks />
  </Page>
);
