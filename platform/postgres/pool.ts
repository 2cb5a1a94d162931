import { TIMEOUT_MS } from '../database/database_errors.ts';
import type { PostgresAddress } from './address.ts';
import { makeConnection, type PostgresConnection, withTimeLimitOn } from './connection.ts';
import { actAsServiceRole } from './session.ts';

export interface PoolOptions {
  address: PostgresAddress;
  /** The largest number of connections. Further calls go to the connection with the fewest calls. */
  maxConnections: number;
  /** The number of connections that stay open without calls. With 0, every idle connection is closed. */
  keptConnections: number;
  /** Milliseconds without a call after which a connection beyond `keptConnections` is closed. */
  idleMs: number;
}

/** A pool of connections that call functions as service role. */
interface Pool {
  /** Lends a connection. Other calls may use the connection at the same time. */
  use: <Result>(work: (connection: PostgresConnection) => Promise<Result>) => Promise<Result>;
  /** Closes all connections after their calls are answered. Later calls fail. */
  close: () => void;
}

interface Member {
  connection: PostgresConnection;
  /** Resolves when the session acts as service role. */
  isReady: Promise<unknown>;
  calls: number;
  idleTimer?: ReturnType<typeof setTimeout>;
}

export function makePool({ address, maxConnections, keptConnections, idleMs }: PoolOptions): Pool {
  const members = new Set<Member>();
  let isClosed = false;

  const add = (): Member => {
    const connection = makeConnection(address, {
      onLost: () => {
        clearTimeout(member.idleTimer);
        members.delete(member);
      },
    });
    const isReady = address.hasSessions ? connection.executeTogether(actAsServiceRole('session')) : Promise.resolve();
    const member: Member = { connection, isReady, calls: 0 };
    // The first user of the connection receives the error.
    isReady.catch(() => connection.destroy());
    members.add(member);
    return member;
  };

  const take = (): Member => {
    const [freest] = [...members].sort((one, other) => one.calls - other.calls);
    return freest === undefined || (freest.calls > 0 && members.size < maxConnections) ? add() : freest;
  };

  const closeWhenIdle = (member: Member): void => {
    if (member.calls === 0 && members.size > keptConnections) member.connection.close();
  };

  return {
    use: async (work) => {
      if (isClosed) throw new Error('The connections are closed.');
      const member = take();
      clearTimeout(member.idleTimer);
      member.calls++;
      try {
        return await withTimeLimitOn(member.connection, TIMEOUT_MS, async () => {
          await member.isReady;
          return await work(member.connection);
        });
      } finally {
        member.calls--;
        if (member.calls === 0 && !member.connection.isLost()) {
          member.idleTimer = setTimeout(closeWhenIdle, idleMs, member);
        }
      }
    },
    close: () => {
      isClosed = true;
      for (const { connection } of members) connection.close();
    },
  };
}
