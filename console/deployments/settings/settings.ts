import type { DeploymentDetails, Fee } from '../deployment.ts';

/** The settings of a deployment, as the fields of the forms hold them. */
export interface Settings {
  name: string;
  description: string;
  icon_url: string;
  start_permission: string;
  output_instructions: boolean;
  /** Empty if nothing is chosen. */
  action_identity: string;
  fees: Fee[];
  url: string;
  cluster: string;
  /** An empty text in this or the next member means the default. */
  max_starts_per_minute: number | string;
  max_runs_in_flight: number | string;
  /** Empty if all runs share one key. */
  queue_key: string;
  queue_key_shared: boolean;
  /** An empty text in this or the next members means no limit. */
  max_running_per_key: number | string;
  max_starts_per_key: number | string;
  key_period_seconds: number | string;
  debounce_seconds: number | string;
  debounce_max_seconds: number | string;
  run_tokens: number | string;
  day_tokens: number | string;
  /** Empty if nothing is chosen. */
  on_end_url: string;
  on_end_events: string[];
}

/** The properties of a part of the form: the settings, and the function that changes them. */
export interface SettingsFieldsProps {
  settings: Settings;
  change: (changed: Partial<Settings>) => void;
}

export const EVENTS = ['succeeded', 'failed', 'stopped', 'signature_request'];

export const readSettings = (deployment: DeploymentDetails): Settings => ({
  name: deployment.name,
  description: deployment.description,
  icon_url: deployment.icon_url ?? '',
  start_permission: deployment.start_permission,
  output_instructions: deployment.output_instructions,
  action_identity: deployment.action_identity ?? '',
  fees: deployment.fees,
  url: deployment.chain_network.url,
  cluster: deployment.chain_network.cluster,
  max_starts_per_minute: deployment.max_starts_per_minute ?? '',
  max_runs_in_flight: deployment.max_runs_in_flight ?? '',
  queue_key: deployment.queue_key ?? '',
  queue_key_shared: deployment.queue_key_shared,
  max_running_per_key: deployment.max_running_per_key ?? '',
  max_starts_per_key: deployment.max_starts_per_key ?? '',
  key_period_seconds: deployment.key_period_seconds ?? '',
  debounce_seconds: deployment.debounce_seconds ?? '',
  debounce_max_seconds: deployment.debounce_max_seconds ?? '',
  run_tokens: deployment.model_limits?.run_tokens ?? '',
  day_tokens: deployment.model_limits?.day_tokens ?? '',
  on_end_url: deployment.on_end?.url ?? '',
  on_end_events: deployment.on_end?.events ?? ['failed'],
});

const toLimit = (text: number | string): number | null => text === '' ? null : Number(text);

function toModelLimits({ run_tokens, day_tokens }: Settings): { [name: string]: number } | null {
  const limits = Object.entries({ run_tokens, day_tokens }).filter(([, tokens]) => tokens !== '');
  return limits.length === 0 ? null : Object.fromEntries(limits.map(([name, tokens]) => [name, Number(tokens)]));
}

/** Converts the settings to columns of the table. */
const toColumns = (settings: Settings): Record<string, unknown> => ({
  name: settings.name,
  description: settings.description,
  icon_url: settings.icon_url === '' ? null : settings.icon_url,
  start_permission: settings.start_permission,
  output_instructions: settings.output_instructions,
  action_identity: settings.action_identity === '' ? null : settings.action_identity,
  fees: settings.fees.map(({ address, lamports }) => [address, lamports]),
  chain_network: { url: settings.url, cluster: settings.cluster },
  max_starts_per_minute: toLimit(settings.max_starts_per_minute),
  max_runs_in_flight: toLimit(settings.max_runs_in_flight),
  queue_key: settings.queue_key === '' ? null : settings.queue_key,
  queue_key_shared: settings.queue_key_shared,
  max_running_per_key: toLimit(settings.max_running_per_key),
  max_starts_per_key: toLimit(settings.max_starts_per_key),
  key_period_seconds: toLimit(settings.key_period_seconds),
  debounce_seconds: toLimit(settings.debounce_seconds),
  debounce_max_seconds: toLimit(settings.debounce_max_seconds),
  model_limits: toModelLimits(settings),
  on_end: settings.on_end_url === '' ? null : { url: settings.on_end_url, events: settings.on_end_events },
});

/**
 * Returns only the changed columns, so that an update does not undo changes that somebody else made to other columns.
 */
export function changedColumns(before: Settings, after: Settings): Record<string, unknown> {
  const old = toColumns(before);
  return Object.fromEntries(
    Object.entries(toColumns(after)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])),
  );
}
