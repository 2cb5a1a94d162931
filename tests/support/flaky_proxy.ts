import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy of a server on loopback that a test can close. */
export interface FlakyProxy {
  url: string;
  /** True if a connection is open. */
  isUsed: () => boolean;
  /** Breaks all connections and accepts no new ones until it is opened again. */
  shut: () => void;
  open: () => void;
  /** Drops all data on the present connections without closing them. New connections work. */
  silence: () => void;
  close: () => Promise<void>;
}

export async function startFlakyProxy(targetUrl: string): Promise<FlakyProxy> {
  const port = Number(new URL(targetUrl).port);
  const sockets = new Set<Socket>();
  let isShut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    if (isShut) return client.destroy();
    const target = connect(port, '127.0.0.1');
    keep(client);
    keep(target);
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isUsed: () => sockets.size > 0,
    shut: () => {
      isShut = true;
      breakAll();
    },
    open: () => {
      isShut = false;
    },
    silence: () => sockets.forEach((socket) => socket.unpipe().pause()),
    close: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
