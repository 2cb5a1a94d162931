import type { AuthRates } from './gateway/auth_rates.ts';

export interface StackOptions {
  port: number;
  /** The folder of the database and the keys; default: the project's .stack/<port>. */
  dir?: string;
  /** Start with an empty database and new keys. */
  reset?: boolean;
  /** The folder of the Supabase project that has the migrations; default: this project. */
  supabaseProject?: string;
  /** The Edge Functions; default: those of this project. */
  functionsDir?: string;
  /** A folder of additional Edge Functions. */
  extraFunctionsDir?: string;
  /** Serve changed function sources without a restart; default true. */
  watch?: boolean;
  /** Also serve a Solana chain, which is empty at each start; default false. */
  chain?: boolean;
  /** At intervals, poke the runner (ask it to look for queued runs) and sweep the database; default true. */
  sweep?: boolean;
  /** Called with each line to show: notices, and the output of the Edge Functions. */
  log?: (line: string) => void;
  /** Called with a line for each ready part of a boot that takes longer than a few seconds. */
  onProgress?: (line: string) => void;
  /** Stops the stack, also during its boot. */
  signal?: AbortSignal;
  /** Called once when a part ends after the boot and is not restarted. The other parts are stopped by then. */
  onCrash?: (description: string) => void;
  /**
   * The limits of requests to Auth by address within five minutes; null for no limits. Default: as on hosted Supabase.
   */
  authRates?: AuthRates | null;
  /** The environment of the Edge Functions, beyond the variables of the platform. */
  functionEnv?: Record<string, string>;
  /**
   * The port of a standby, which a test starts and promotes. Then the clients of the database get the address of both
   * servers.
   */
  standbyPort?: number;
  /** Postgres settings, such as `{ fsync: 'off' }` if the data may be lost. */
  postgresSettings?: Record<string, string>;
}
