import { createServer } from 'node:net';
import { StackError } from './stack_error.ts';

/** The database listens one port above the gateway, as with `supabase start`. */
export const databasePort = (port: number): number => port + 1;

/** The chain, if the stack has one, listens one port above the database. */
export const chainPort = (port: number): number => port + 2;

/** The chain's subscriptions are served one port above its RPC, where Solana's clients expect them. */
export const chainWebSocketPort = (port: number): number => chainPort(port) + 1;

/** Returns the reason why nothing can listen on a port; undefined if it is free. */
const whyUnusable = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('is taken');
      else resolve(`can't be used (${error.message})`);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });

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
    const reason = await whyUnusable(needed);
    if (reason === undefined) continue;
    throw new StackError(
      `Port ${needed} ${reason}; a stack on ${port} needs ${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}. ` +
        'Stop what listens there, or choose another port: npm start -- --port <N>',
    );
  }
}

/**
 * Finds a port for a gateway that is free now, as are the three ports above it. These four ports are outside the
 * default ports and the system's ephemeral range.
 */
export async function findFreePort(from = 20_000 + (process.pid % 3_000) * 4): Promise<number> {
  for (let port = from; port < 32_000; port += 4) {
    const reasons = await Promise.all(portsOf(port, true).map(whyUnusable));
    if (reasons.every((reason) => reason === undefined)) return port;
  }
  throw new StackError('There are no four adjacent free ports between 20000 and 32000.');
}
