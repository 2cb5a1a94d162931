import type { LedgerTransaction } from '../../dev/chain/ledger.ts';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import type { StartRecord } from './starts.ts';
import type { WatchRecord } from './watching.ts';
import type { SoakDeployment } from './world.ts';

/** The facts that the callers know. The database is compared with them. */
export interface SoakFacts {
  starts: readonly StartRecord[];
  deployments: readonly Pick<SoakDeployment, 'id' | 'isGoing' | 'isGone'>[];
  /** The ids of the webhooks that the receiver accepted. */
  webhookIds: readonly string[];
  /**
   * The time when all messages were posted; undefined until then. Waiting runs may end after that time, and their
   * webhooks may still be under way.
   */
  drainedAt?: Date;
  /** The events that watchers received. */
  watched: readonly WatchRecord[];
  /** The transactions in the chain's blocks. */
  landed: readonly Pick<LedgerTransaction, 'accounts' | 'error'>[];
}

/** A rule on stored rows. */
export interface RowCheck {
  /** The name of its findings, in snake_case. */
  name: string;
  /** Finds the rows that break the rule. */
  find: (sql: Sql, facts: SoakFacts) => Promise<readonly object[]>;
}
