import { connect, type Socket } from 'node:net';
import type { PostgresAddress, PostgresServer } from './address.ts';

/** The time limit of a try if there are other servers to try. */
const TRY_MS = 3_000;

/** The server of each address with which the next connection begins, if that is not the first one. */
const firstServers = new WeakMap<PostgresAddress, number>();

const connectTo = (server: PostgresServer, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // If the connection is encrypted, the library compares the server's certificate with `host`.
    const socket = Object.assign(connect(server.port, server.host), { host: server.host });
    socket.setNoDelay(true);
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const abort = () => fail(signal.reason);
    signal.addEventListener('abort', abort);
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('The connection was closed.')));
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.removeAllListeners('error').removeAllListeners('close');
      resolve(socket);
    });
    if (signal.aborted) abort();
  });

/**
 * Connects to the first server of an address that accepts a connection, without a login. Begins with the server of the
 * last connection.
 */
export async function openSocket(address: PostgresAddress, stop: AbortSignal): Promise<Socket> {
  const { servers } = address;
  const first = firstServers.get(address) ?? 0;
  for (let tries = 1;; tries++) {
    const index = (first + tries - 1) % servers.length;
    const signal = servers.length === 1 ? stop : AbortSignal.any([stop, AbortSignal.timeout(TRY_MS)]);
    try {
      const socket = await connectTo(servers[index]!, signal);
      firstServers.set(address, index);
      return socket;
    } catch (error) {
      if (stop.aborted || tries === servers.length) throw error;
    }
  }
}

/** Makes the next connection begin with another server, because this one does not write. */
export function tryNextServer(address: PostgresAddress): void {
  firstServers.set(address, ((firstServers.get(address) ?? 0) + 1) % address.servers.length);
}
