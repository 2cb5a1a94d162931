import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { anthropicProvider } from './anthropic.ts';
import { openaiProvider } from './openai.ts';
import type { ProviderDialect, ProviderEvent, Script, ScriptedAnswer } from './scripts.ts';

type Json = { [name: string]: unknown };

/** A request that the provider has received. */
export interface ReceivedRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Json;
}

/** A provider of models on loopback, which speaks both dialects. It refuses requests that their specifications forbid. */
export interface ModelProvider {
  /** The base URL of each dialect. */
  urls: { openai: string; anthropic: string };
  /** The valid requests, in the order of their arrival. */
  requests: ReceivedRequest[];
  /** Number of requests that are being answered. */
  open: () => number;
  /** Answers the next requests by these scripts, one each. */
  will: (...scripts: Script[]) => void;
  close: () => Promise<void>;
}

/** The pause between two pieces of an endless answer. */
const ENDLESS_PAUSE_MS = 5;

const write = (response: ServerResponse, { event, data }: ProviderEvent) =>
  response.write(
    `${event === undefined ? '' : `event: ${event}\n`}data: ${
      typeof data === 'string' ? data : JSON.stringify(data)
    }\n\n`,
  );

async function stream(
  response: ServerResponse,
  dialect: ProviderDialect,
  model: string,
  script: ScriptedAnswer,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of dialect.begin(model, script)) write(response, event);
  switch (script.fault) {
    case 'silent':
      return;
    case 'breaks_off':
      await pause(10);
      return void response.destroy();
    case 'ends_early':
      return void response.end();
    case 'not_json':
      write(response, { data: '{"choices": [{' });
      return void response.end();
    case 'overloaded':
      write(response, dialect.failure('overloaded_error', 'Overloaded'));
      return void response.end();
    case 'invalid':
      write(response, dialect.failure('invalid_request_error', 'The prompt is too long'));
      return void response.end();
    case 'endless':
      while (!response.destroyed) {
        if (!write(response, dialect.more(model, 'and so on '))) await once(response, 'drain').catch(() => {});
        await pause(ENDLESS_PAUSE_MS);
      }
      return;
  }
  for (const event of dialect.end(model, script)) write(response, event);
  response.end();
}

/** Starts a provider. Requests without a script are answered by `otherwise`, which repeats the prompt by default. */
export async function startModelProvider(
  otherwise: (request: ReceivedRequest) => Script = ({ body }) => ({ text: `echo: ${lastText(body)}` }),
  host = '127.0.0.1',
): Promise<ModelProvider> {
  const requests: ReceivedRequest[] = [];
  const scripts: Script[] = [];
  let open = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const dialect = [openaiProvider, anthropicProvider].find(({ path }) => path === request.url);
    const send = (status: number, body: unknown, headers = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    if (dialect === undefined) return send(404, { error: { message: `no such path: ${request.url}` } });
    const body: Json = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const fault = dialect.faultOf(body, request.headers);
    if (fault !== undefined) return send(400, dialect.errorBody('invalid_request_error', fault));
    const received = { path: dialect.path, headers: request.headers, body };
    requests.push(received);
    const script = scripts.shift() ?? otherwise(received);
    if ('status' in script) {
      return send(script.status, script.body ?? dialect.errorBody('error', 'no answer'), script.headers);
    }
    if (script.delayMs !== undefined) await pause(script.delayMs);
    const model = String(body['model']);
    if (body['stream'] === true) await stream(response, dialect, model, script);
    else send(200, dialect.whole(model, script));
  };

  const server = createServer((request, response) => {
    open++;
    response.on('close', () => open--);
    response.on('error', () => {});
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    urls: { openai: `${url}/v1`, anthropic: url },
    requests,
    open: () => open,
    will: (...next) => void scripts.push(...next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns the text of the last message of a request. */
export function lastText({ messages }: Json): string {
  const { content } = (messages as { content: unknown }[]).at(-1)!;
  if (typeof content === 'string') return content;
  return (content as { text?: string; content?: string }[]).map(({ text, content: result }) => text ?? result ?? '')
    .join('');
}
