import { once } from 'node:events';
import type { Server } from 'node:http';
import { type ConsoleServer, makeConsoleServer } from '../console/serve.ts';
import { type GatewayOptions, startGateway } from '../gateway.ts';
import { HOSTED_AUTH_RATES } from '../gateway/auth_rates.ts';
import type { StackOptions } from '../stack_options.ts';
import { startedOnDemand } from '../parts/started_on_demand.ts';

/** The gateway of a stack, with the console that it serves. */
export interface StackGateway {
  /** Starts the gateway. Resolves when it listens. */
  boot: () => Promise<void>;
  /** Builds the console in the background. Without this call, the console is built on the first request. */
  buildConsole: () => void;
  /** Closes the gateway, which can be booted again. */
  close: () => Promise<void>;
  /** Ends what the console has begun. */
  closeConsole: () => Promise<void>;
}

interface GatewaySetup extends Pick<GatewayOptions, 'port' | 'keys' | 'functionSocket' | 'spoolDir'> {
  authRates: StackOptions['authRates'];
  socketPath: (name: string) => string;
  /** The secret path of the functions' PostgREST. */
  functionsRestPath: string;
  /** Auth and Storage start at their first request. */
  bootAuth: () => Promise<void>;
  bootStorage: () => Promise<void>;
  apiUrl: string;
  log: (line: string) => void;
}

/** Makes the gateway of a stack, which listens after `boot`. */
export function makeStackGateway(
  { socketPath, functionsRestPath, bootAuth, bootStorage, apiUrl, log, authRates = HOSTED_AUTH_RATES, ...setup }:
    GatewaySetup,
): StackGateway {
  const console: ConsoleServer = makeConsoleServer({
    apiUrl,
    publishableKey: setup.keys.publishableKey,
    log: (line) => log(`[console] ${line}`),
  });
  const authSocket = startedOnDemand({ name: 'Auth', socketPath: socketPath('auth'), boot: bootAuth, log });
  const storageSocket = startedOnDemand({
    name: 'Storage',
    socketPath: socketPath('storage'),
    boot: bootStorage,
    log,
  });
  let server: Server | undefined;
  return {
    async boot() {
      server = await startGateway({
        ...setup,
        authRates,
        restSocket: socketPath('rest'),
        functionsRest: { path: functionsRestPath, socket: socketPath('functions-rest') },
        authSocket,
        storageSocket,
        console,
      });
    },
    buildConsole: () => console.build(),
    async close() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      closing.close();
      closing.closeAllConnections();
      await once(closing, 'close');
    },
    closeConsole: () => console.close(),
  };
}
