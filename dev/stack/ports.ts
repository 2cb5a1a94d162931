import { connect, createServer } from 'node:net';
import { pause } from '../../platform/pause.ts';
import { StackError } from './stack_error.ts';

/** The database listens one port above the gateway, as with `supabase start`. */
export const databasePort = (port: number): number => port + 1;

/** The chain, if the stack has one, listens one port above the database. */
export const chainPort = (port: number): number => port + 2;

/** The chain's subscriptions are served one port above its RPC, where Solana's clients expect them. */
export const chainWebSocketPort = (port: number): number => chainPort(port) + 1;

/** How long a port is awaited that a connection to elsewhere holds. The system gives such ports to any program. */
const CLIENT_WAIT_MS = 10_000;
const CLIENT_RETRY_MS = 200;

/** The reason if a connection still holds a port. Behind its end, the system keeps the port for a minute. */
const HELD = 'is held by a connection to elsewhere';

/** Tests whether a program listens on a port. */
const isListenedOn = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/**
 * Calls `listen` until it succeeds, while the port is not listened on but taken: a connection to elsewhere holds it for
 * a moment. The default ports are within the system's ephemeral range.
 */
export async function listenPastClients<T>(port: number, listen: () => Promise<T>): Promise<T> {
  const until = performance.now() + CLIENT_WAIT_MS;
  for (;;) {
    try {
      return await listen();
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || performance.now() > until || await isListenedOn(port)) throw error;
      await pause(CLIENT_RETRY_MS);
    }
  }
}

/** Listens on a port for a moment. */
const tryPort = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });

/** Returns the reason why nothing can listen on a port; undefined if it is free. */
async function whyUnusable(
  port: number,
  listen: () => Promise<void> = () => tryPort(port),
): Promise<string | undefined> {
  try {
    await listen();
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') return `can't be used (${message})`;
    return await isListenedOn(port) ? 'is taken' : HELD;
  }
}

/** Returns the ports of a stack: of the gateway, the database and, if it has one, the chain and its subscriptions. */
const portsOf = (port: number, hasChain: boolean): number[] => [
  port,
  databasePort(port),
  ...(hasChain ? [chainPort(port), chainWebSocketPort(port)] : []),
];

/** Throws an error of one line if a port of the stack is taken. */
export async function assertPortsFree(port: number, { chain: hasChain = false } = {}): Promise<void> {
  const ports = portsOf(port, hasChain);
  for (const needed of ports) {
    const reason = await whyUnusable(needed, () => listenPastClients(needed, () => tryPort(needed)));
    if (reason === undefined) continue;
    throw new StackError(
      `Port ${needed} ${reason}; a stack on ${port} needs ${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}. ` +
        `${reason === HELD ? 'Start again in a minute' : 'Stop what listens there'}, or choose another port: ` +
        'npm start -- --port <N>',
    );
  }
}

/**
 * Finds a port for a gateway that is free now, as are the three ports above it. These four ports are outside the
 * default ports and the system's ephemeral range.
 */
export async function findFreePort(from = 20_000 + (process.pid % 3_000) * 4): Promise<number> {
  for (let port = from; port < 32_000; port += 4) {
    const reasons = await Promise.all(portsOf(port, true).map((one) => whyUnusable(one)));
    if (reasons.every((reason) => reason === undefined)) return port;
  }
  throw new StackError('There are no four adjacent free ports between 20000 and 32000.');
}
