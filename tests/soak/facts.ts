import type { LedgerTransaction } from '../../dev/chain/ledger.ts';
import type { Sql } from '../../dev/stack/postgres.ts';
import type { StartRecord } from './starts.ts';
import type { WatchRecord } from './watching.ts';
import type { SoakDeployment } from './world.ts';

/** What the callers know: the database is compared with it. */
export interface SoakFacts {
  starts: readonly StartRecord[];
  deployments: readonly Pick<SoakDeployment, 'id' | 'isGoing' | 'isGone'>[];
  /** The ids of the webhooks that were received, and taken. */
  webhookIds: readonly string[];
  /** When all was told. Runs that wait end after it, too, and their webhooks may be on their way; undefined until then. */
  drainedAt?: Date;
  /** What watchers were told. */
  watched: readonly WatchRecord[];
  /** What is in the chain's blocks. */
  landed: readonly Pick<LedgerTransaction, 'accounts' | 'error'>[];
}

/** A rule on what is stored. */
export interface RowCheck {
  /** In snake_case, what a finding of it says. */
  name: string;
  /** The rows that break it. */
  find: (sql: Sql, facts: SoakFacts) => Promise<readonly object[]>;
}
