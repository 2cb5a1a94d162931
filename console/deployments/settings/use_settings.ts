import { useState } from 'react';
import type { DeploymentDetails } from '../deployment.ts';
import { readSettings, type Settings, type SettingsFieldsProps } from './settings.ts';

/** The settings of a deployment while the owner edits them. Several forms show parts of one draft. */
export interface SettingsDraft extends SettingsFieldsProps {
  deploymentId: string;
  stored: Settings;
  setStored: (stored: Settings) => void;
}

/** Keeps the draft of the settings, so that the user's edits stay when the user opens another tab. */
export function useSettings(deployment: DeploymentDetails): SettingsDraft {
  const [stored, setStored] = useState(() => readSettings(deployment));
  const [settings, setSettings] = useState(stored);
  const change = (changed: Partial<Settings>) => setSettings((old) => ({ ...old, ...changed }));
  return { deploymentId: deployment.id, stored, setStored, settings, change };
}
