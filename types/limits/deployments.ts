import type { Limits } from './limit.ts';

const REFUSED_COLUMN = '400 `column_invalid`';
const REFUSED_START = '429 `start_limit_reached`';

/** The limits of deployments, and of their starts. */
export const deploymentLimits = {
  description_characters: {
    value: 2_000,
    unit: 'characters',
    meaning: '`description` of a deployment or a tag',
    beyond: '400 `description_invalid`, for a tag `column_invalid`',
    inSql: true,
  },
  setting_bytes: {
    value: 65_536,
    unit: 'bytes',
    meaning: '`fees`, `chain_network` and `on_end`, each',
    beyond: '400, with the name of the setting',
    inSql: true,
  },
  fees: { value: 64, unit: 'pairs', meaning: '`fees`', beyond: '400 `fees_invalid`', inSql: true },
  tag_characters: {
    value: 128,
    unit: 'characters',
    meaning: 'a tag: letters, digits, `.`, `_`, `-`; first a letter or digit',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  open_starts_per_minute: {
    value: 1_200,
    unit: 'starts',
    meaning: '`max_starts_per_minute` of a deployment that anybody may start, by default',
    beyond: REFUSED_START,
    inSql: true,
  },
  starts_per_minute: {
    value: 60_000,
    unit: 'starts',
    meaning: '`max_starts_per_minute` of other deployments, by default',
    beyond: REFUSED_START,
    inSql: true,
  },
  open_runs_in_flight: {
    value: 2_000,
    unit: 'runs',
    meaning: '`max_runs_in_flight` of a deployment that anybody may start, by default',
    beyond: REFUSED_START,
    inSql: true,
  },
  runs_in_flight: {
    value: 10_000,
    unit: 'runs',
    meaning: '`max_runs_in_flight` of other deployments, by default',
    beyond: REFUSED_START,
    inSql: true,
  },
  schedule_bytes: {
    value: 65_536,
    unit: 'bytes',
    meaning: '`inputs` and `values` of a schedule, together',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  cron_characters: {
    value: 100,
    unit: 'characters',
    meaning: '`cron` of a schedule',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  key_period_seconds: {
    value: 86_400,
    unit: 's',
    meaning: '`key_period_seconds`, `debounce_seconds` and `debounce_max_seconds` of a deployment',
    beyond: '400, with the name of the setting',
    inSql: true,
  },
  priority_seconds: {
    value: 3_600,
    unit: 's',
    meaning: '`priority` of a start, which may also be negative',
    beyond: '400 `priority_invalid`',
    inSql: true,
  },
  queue_key_characters: {
    value: 1000,
    unit: 'characters',
    meaning: 'the JSON of the input that `queue_key` names',
    beyond: '400 `inputs_invalid`',
    inSql: true,
  },
  queue_keys: {
    value: 10_000,
    unit: 'keys',
    meaning:
      'keys of one deployment, approximately: those of runs that have not ended, and of starts in the last period',
    beyond: 'a start with a new key gets 429 `queue_full`, unless the owner makes it',
    inSql: true,
  },
  queue_length: {
    value: 100_000,
    unit: 'runs',
    meaning: 'runs of the project that are claimable, or wait because of a limit by key, by default',
    beyond: '429 `queue_full`',
    inSql: true,
  },
} satisfies Limits;
