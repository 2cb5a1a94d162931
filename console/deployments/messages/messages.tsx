import type { Settings } from '../settings/settings.ts';
import { SettingsForm } from '../settings/settings_form.tsx';
import { OnEndFields } from '../settings/on_end_fields.tsx';
import type { DeploymentTabProps } from '../tab_props.ts';
import { RunMessages } from './run_messages.tsx';

const FIELDS: (keyof Settings)[] = ['on_end_url', 'on_end_events'];

/** The address that gets messages about runs, and the messages that were sent to it. */
const Messages = ({ deployment, draft }: DeploymentTabProps) => (
  <>
    <SettingsForm title='Where messages go' draft={draft} fields={FIELDS}>
      <OnEndFields {...draft} />
    </SettingsForm>
    <RunMessages deployment={deployment} />
  </>
);
export default Messages;
