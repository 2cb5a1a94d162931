import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { makeSubscriber, type Subscriber } from './subscriber.ts';

const MAX_CONNECTIONS = 1_000;

/** Serves the subscriptions of all clients, on both ports. */
interface WebSocketDoor {
  /** Accepts a connection that a client wants to upgrade to a WebSocket. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  stop: () => void;
}

/**
 * Makes the server of subscriptions. It sends notifications whenever the chain has changed, and once a slot while a
 * client is connected.
 */
export function makeWebSocketDoor(ledger: Ledger, faults: Faults, slotMs: number, maxPayload: number): WebSocketDoor {
  const server = new WebSocketServer({ noServer: true, maxPayload });
  const subscribers = new Set<Subscriber>();
  let lastId = 0n;
  let clock: NodeJS.Timeout | undefined;
  const notifyAll = () => subscribers.forEach(({ notify }) => notify());
  const unwatch = ledger.watch(notifyAll);

  server.on('connection', (socket) => {
    const subscriber = makeSubscriber(ledger, faults, socket, () => ++lastId);
    subscribers.add(subscriber);
    if (slotMs > 0) clock ??= setInterval(notifyAll, slotMs);
    socket.on('message', (data) => subscriber.receive(String(data)));
    // Errors, such as a message that is too long, close the connection. The `close` event below handles the end.
    socket.on('error', () => {});
    socket.on('close', () => {
      subscribers.delete(subscriber);
      if (subscribers.size > 0) return;
      clearInterval(clock);
      clock = undefined;
    });
  });
  return {
    upgrade(request, socket, head) {
      if (subscribers.size >= MAX_CONNECTIONS) {
        // An error means that the client has closed the connection meanwhile, and needs no answer.
        socket.on('error', () => {});
        return void socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      }
      server.handleUpgrade(request, socket, head, (client) => server.emit('connection', client, request));
    },
    stop() {
      unwatch();
      clearInterval(clock);
      server.clients.forEach((client) => client.terminate());
    },
  };
}
