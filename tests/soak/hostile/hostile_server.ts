import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { answerToolCall } from './hostile_tools.ts';

/** A body that inflates to a thousand times its size. */
const BOMB_BYTES = 512 * 1024 * 1024;

const TINY_CHUNKS = 200_000;

const DEEP_LEVELS = 2_000_000;

/** The servers of tools are below this path. */
const TOOLS_PATH = '/tools/';

/** As many bytes as the output of a node may hold beside its headers. */
const REPETITIVE_BYTES = 1_000_000;

type Answer = (response: ServerResponse) => void;

const EVENTS = { 'content-type': 'text/event-stream' };

/** The empty calls of tools in one event of a model, and the events. */
const EVENT_CALLS = 50_000;
const CALL_EVENTS = 10;

/** An event of a model's answer. */
const chunkOf = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

function makeAnswers(): { [path: string]: Answer } {
  const zeros = Buffer.alloc(BOMB_BYTES);
  const bombs = { gzip: gzipSync(zeros), deflate: deflateRawSync(zeros) };
  const json = { 'content-type': 'application/json' };
  const bomb = (encoding: keyof typeof bombs): Answer => (response) =>
    void response.writeHead(200, { ...json, 'content-encoding': encoding }).end(bombs[encoding]);
  return {
    '/gzip': bomb('gzip'),
    '/deflate': bomb('deflate'),
    '/chunks'(response) {
      response.writeHead(200, { 'content-type': 'text/plain' });
      let sent = 0;
      const send = () => {
        while (sent++ < TINY_CHUNKS) if (!response.write('x')) return void response.once('drain', send);
        response.end();
      };
      send();
    },
    '/deep': (response) => void response.writeHead(200, json).end('['.repeat(DEEP_LEVELS)),
    '/members': (response) =>
      void response.writeHead(200, json).end(
        `{${Array.from({ length: 500_000 }, (_, index) => `"${index}":0`).join()}}`,
      ),
    // The hex digits of a long row of one letter.
    '/repetitive': (response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end('61'.repeat(REPETITIVE_BYTES / 2)),
    // A model whose answer never ends, as fast as it is read.
    '/fast/chat/completions': endlessModel(0),
    // The same, but slower than any limit of silence.
    '/slow/chat/completions': endlessModel(1_000),
    // A model that calls the same tool again and again.
    '/loop/chat/completions': (response) => {
      const call = { index: 0, id: 'call', type: 'function', function: { name: 'again', arguments: '{}' } };
      response.writeHead(200, EVENTS);
      response.end(`${chunkOf({ tool_calls: [call] })}${chunkOf({}, 'tool_calls')}data: [DONE]\n\n`);
    },
    // A model that calls half a million tools at once.
    '/calls/chat/completions': (response) => {
      response.writeHead(200, EVENTS);
      for (let event = 0; event < CALL_EVENTS; event++) {
        const calls = Array.from({ length: EVENT_CALLS }, (_, index) => ({ index: event * EVENT_CALLS + index }));
        response.write(chunkOf({ tool_calls: calls }));
      }
      response.end(`${chunkOf({}, 'tool_calls')}data: [DONE]\n\n`);
    },
    // Accepts the request and never answers.
    '/silent': () => {},
  };
}

/** Streams an answer of a model without end. Waits so many milliseconds between two events. */
function endlessModel(pauseMs: number): Answer {
  const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x' }, finish_reason: null }] })}\n\n`;
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = () => {
      if (response.destroyed) return;
      if (pauseMs > 0) {
        response.write(event);
        setTimeout(send, pauseMs);
      } else if (response.write(event.repeat(100))) setImmediate(send);
      else response.once('drain', send);
    };
    send();
  };
}

/** Starts a server on loopback that attacks its clients. */
export async function startHostileServer(): Promise<{ url: string; stop: () => void }> {
  const answers = makeAnswers();
  const server = createServer((request, response) => {
    const { url = '' } = request;
    const answer = answers[url];
    if (url.startsWith(TOOLS_PATH)) answerToolCall(request, response, url.slice(TOOLS_PATH.length)).catch(() => {});
    else if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // SAFETY: the server listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
