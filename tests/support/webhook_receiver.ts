import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './wait.ts';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  path: string;
  method: string;
  headers: { [name: string]: string };
  body: string;
  // SAFETY: the assertions of each test check its contents.
  // oxlint-disable-next-line typescript/no-explicit-any
  message: any;
}

/** A function that answers a webhook. If it does not use the response, the webhook gets no answer. */
type AnswerWebhook = (response: ServerResponse, webhook: ReceivedWebhook) => void;

/** A server on loopback that receives webhooks. */
export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Waits until this many webhooks have come to the path, and returns them. */
  next: (path: string, count?: number) => Promise<ReceivedWebhook[]>;
  /** From now on, answers webhooks to this path in this way. The default answer is 204. */
  answer: (path: string, answer: AnswerWebhook) => void;
  close: () => Promise<void>;
}

/** Makes an answer of a status, headers and a body. */
export const withStatus =
  (status: number, headers: { [name: string]: string } = {}, body = ''): AnswerWebhook => (response) =>
    response.writeHead(status, headers).end(body);

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const answers = new Map<string, AnswerWebhook>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => body += chunk).on('end', () => {
      const path = request.url ?? '';
      const webhook = {
        path,
        method: request.method ?? '',
        // SAFETY: webhooks repeat no header, so no header is a list.
        headers: request.headers as { [name: string]: string },
        body,
        message: body === '' ? undefined : JSON.parse(body),
      };
      received.push(webhook);
      (answers.get(path) ?? withStatus(204))(response, webhook);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ofPath = (path: string) => received.filter((webhook) => webhook.path === path);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    next: (path, count = 1) => waitFor(() => ofPath(path).length >= count ? ofPath(path) : undefined),
    answer: (path, answer) => void answers.set(path, answer),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
