import { Page } from '../shared/page/page.tsx';
import { Appearance } from './appearance.tsx';
import { ApiKeys } from './api_keys.tsx';
import { Webhooks } from './webhooks.tsx';

/** The colours and dates of the console, and the credentials with which others act as the user. */
export const SettingsPage = () => (
  <Page title='Settings'>
    <Appearance />
    <ApiKeys />
    <Webhooks />
  </Page>
);
