import type { DeploymentDetails } from './deployment.ts';
import type { SettingsDraft } from './settings/use_settings.ts';

/** The properties of every tab. */
export interface DeploymentTabProps {
  deployment: DeploymentDetails;
  draft: SettingsDraft;
}
