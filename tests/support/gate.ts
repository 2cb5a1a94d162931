import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address on loopback. Until the test opens it, it breaks every request, so nodes that request it fail. */
export interface Gate {
  url: string;
  open: () => void;
  close: () => Promise<void>;
}

export async function makeGate(): Promise<Gate> {
  let isOpen = false;
  const server = createServer((request, response) => {
    if (isOpen) response.end('open');
    else request.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    open: () => {
      isOpen = true;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
