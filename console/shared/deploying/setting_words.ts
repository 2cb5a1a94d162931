import type { ComparedSetting, Setting } from './former_settings.ts';

/** The callers whom each `start_permission` allows. */
const WHO_MAY_START: Record<string, string> = {
  Owner: 'only you',
  Authenticated: 'everybody who has signed up',
  Anonymous: 'anybody',
};

const LABELS: Record<Setting, string> = {
  name: 'Name',
  description: 'Description',
  icon_url: 'Icon',
  start_permission: 'Who may start it',
  output_instructions: 'Transactions',
  action_identity: 'Action identity',
  fees: 'Fees',
  chain_network: 'Network',
  max_starts_per_minute: 'Starts per minute',
  max_runs_in_flight: 'Runs at a time',
  on_end: 'Messages about runs',
  queue_key: 'Key of limits',
  queue_key_shared: 'Callers share keys',
  max_running_per_key: 'Runs of a key at a time',
  max_starts_per_key: 'Starts of a key in a period',
  key_period_seconds: 'Period in seconds',
  debounce_seconds: 'Seconds after the newest start',
  debounce_max_seconds: 'Most seconds after the first start',
  model_limits: 'Tokens of models',
};

const limitText = (value: unknown): string => value === null ? 'the default' : Number(value).toLocaleString('en');

/** The texts of settings whose values are not shown as they are. */
const TEXTS: Partial<Record<Setting, (value: unknown) => string>> = {
  start_permission: (value) => WHO_MAY_START[String(value)] ?? String(value),
  output_instructions: (value) => value === true ? 'returned' : 'sent',
  fees: (value) => {
    const { length } = value as unknown[];
    return length === 0 ? 'none' : length === 1 ? '1 fee' : `${length} fees`;
  },
  chain_network: (value) => {
    const { cluster, url } = value as { cluster: string; url: string };
    return `${cluster}, ${url}`;
  },
  max_starts_per_minute: limitText,
  max_runs_in_flight: limitText,
  model_limits: (value) => {
    const { run_tokens, day_tokens } = (value ?? {}) as { run_tokens?: number; day_tokens?: number };
    return [
      ...(run_tokens === undefined ? [] : [`${run_tokens.toLocaleString('en')} a run`]),
      ...(day_tokens === undefined ? [] : [`${day_tokens.toLocaleString('en')} a day`]),
    ].join(', ');
  },
  on_end: (value) => {
    if (value === null) return 'none';
    const { url, events } = value as { url: string; events: string[] };
    return `${events.join(', ')}, to ${url}`;
  },
};

function textOf(setting: Setting, value: unknown): string {
  const text = TEXTS[setting]?.(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
  return text === '' || text === 'null' ? 'none' : text;
}

/** Describes a compared setting in words. */
export const describeSetting = ({ setting, kept, otherwise }: ComparedSetting) => ({
  label: LABELS[setting] ?? setting,
  kept: textOf(setting, kept),
  otherwise: textOf(setting, otherwise),
});
