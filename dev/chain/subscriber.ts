import { stringify } from 'lossless-json';
import type { WebSocket } from 'ws';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { INTERNAL_ERROR, invalidParams, RpcError } from './rpc_error.ts';
import { makeRpcHandler } from './rpc_handler.ts';
import type { Method } from './rpc_method.ts';
import { subscribeMethods, type Subscription } from './subscriptions.ts';

/** The most subscriptions of one client. */
const MAX_SUBSCRIPTIONS = 1_000;

/** If a client has more unread bytes than this, its connection is closed. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** One client's connection. */
export interface Subscriber {
  /** Answers a message. */
  receive: (message: string) => void;
  /** Sends the client the notifications of its subscriptions. */
  notify: () => void;
}

/** Serves the subscriptions of one connection; `nextId` returns a new id for each subscription. */
export function makeSubscriber(ledger: Ledger, faults: Faults, socket: WebSocket, nextId: () => bigint): Subscriber {
  const subscriptions = new Map<bigint, { kind: string; subscription: Subscription }>();

  const subscribe = (kind: string): Method => (_, params) => {
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) throw new RpcError(INTERNAL_ERROR, 'Node subscription limit reached');
    const id = nextId();
    subscriptions.set(id, { kind, subscription: subscribeMethods[kind]!(ledger, params) });
    return id;
  };
  const unsubscribe = (kind: string): Method => (_, params) => {
    const id = params.integer(0);
    if (subscriptions.get(id)?.kind !== kind) throw invalidParams('Invalid subscription id.');
    return subscriptions.delete(id);
  };
  const methods = Object.fromEntries(
    Object.keys(subscribeMethods).flatMap((kind) => [
      [`${kind}Subscribe`, subscribe(kind)],
      [`${kind}Unsubscribe`, unsubscribe(kind)],
    ]),
  );
  const answer = makeRpcHandler(ledger, methods, faults);

  const send = (text: string) => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
    else if (text !== '') socket.send(text);
  };
  const tellNews = () => {
    for (const [id, { subscription: { method, news, isOver } }] of subscriptions) {
      for (const result of news()) {
        send(stringify({ jsonrpc: '2.0', method, params: { result, subscription: id } })!);
      }
      if (isOver?.()) subscriptions.delete(id);
    }
  };

  // Messages are handled one after the other, so that a client learns a subscription's id before its first
  // notification.
  let turn = Promise.resolve();
  const inTurn = (act: () => void | Promise<void>) => void (turn = turn.then(act).catch(() => socket.terminate()));
  return {
    receive(message) {
      inTurn(async () => {
        send(await answer(message));
        tellNews();
      });
    },
    notify: () => inTurn(tellNews),
  };
}
