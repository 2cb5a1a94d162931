import { parseArgs } from 'node:util';

/** The default number of connections of an attacker, which is the number of lanes of all attacks together. */
export const DEFAULT_PRESSURE = 402;

/** The greatest number of connections of an attacker. */
const MAX_PRESSURE = 10_000;

const USAGE =
  `npm run soak [-- [--failover | --hostile [--pressure <N>] [--only <text>]] [--minutes <N>] [--seed <N>] [--json <file>]]

Boots a stack of its own, keeps it busy while its parts are killed and restarted, and then looks whether all is as it should be.

  --failover the database has a synchronous standby; its primary is killed once, and the standby takes over
  --hostile  instead, one user attacks the stack in every known way at once, for 2 minutes unless told; what another user feels is measured
  --pressure connections that the attacker keeps busy, ${DEFAULT_PRESSURE} unless told; each attack has one at least
  --only     the attacks whose name holds this text; if it is a single one, the goals of an attack alone hold

  --minutes  how long the load lasts, 5 unless told; each fault happens once at least, however short it is
  --seed     decides what is asked and what breaks, so that a soak can be looked at again; another one each time unless given
  --json     writes the report to a file too`;

/** The longest soak in minutes. */
const MAX_MINUTES = 24 * 60;

/** The options of a soak. */
export interface SoakOptions {
  /** The primary of the database is killed, and a standby takes over. */
  isFailover: boolean;
  isHostile: boolean;
  /** The connections of the attacker of a hostile soak. */
  pressure: number;
  /** The attacks whose names contain this text; all of them without one. */
  only: string | undefined;
  minutes: number;
  seed: number;
  jsonFile: string | undefined;
}

/** A wrong command line. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Reads the command line. Throws a UsageError. */
export function readOptions(args: string[]): SoakOptions {
  const fail = (reason: string) => new UsageError(`${reason}\n\n${USAGE}`);
  let values: {
    failover?: boolean;
    hostile?: boolean;
    pressure?: string;
    only?: string;
    minutes?: string;
    seed?: string;
    json?: string;
  };
  try {
    const options = {
      failover: { type: 'boolean' },
      hostile: { type: 'boolean' },
      pressure: { type: 'string' },
      only: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'string' },
    } as const;
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw fail((error as Error).message);
  }
  const isFailover = values.failover ?? false;
  const isHostile = values.hostile ?? false;
  if (isFailover && isHostile) throw fail('--failover and --hostile exclude each other');
  if (!isHostile && (values.pressure ?? values.only) !== undefined) {
    throw fail('--pressure and --only are options of --hostile');
  }
  const pressure = Number(values.pressure ?? DEFAULT_PRESSURE);
  if (!(Number.isInteger(pressure) && pressure > 0 && pressure <= MAX_PRESSURE)) {
    throw fail(`--pressure ${values.pressure}: must be a whole number from 1 to ${MAX_PRESSURE}`);
  }
  const minutes = Number(values.minutes ?? (isHostile ? 2 : 5));
  if (values.minutes === '' || !(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw fail(`--minutes ${values.minutes}: must be a number above 0, up to ${MAX_MINUTES}`);
  }
  if (values.seed !== undefined && !/^\d{1,9}$/.test(values.seed)) {
    throw fail(`--seed ${values.seed}: must be a whole number of up to nine digits`);
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  return { isFailover, isHostile, pressure, only: values.only, minutes, seed, jsonFile: values.json };
}
