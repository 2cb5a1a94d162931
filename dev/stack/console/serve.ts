import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildConsole } from './build.ts';
import { type ConsoleFile, listConsoleFiles } from './files.ts';
import { contentSecurityPolicy, FRAME_POLICY } from './security_policy.ts';
import { ASSETS, failurePage, WAITING_SCRIPT, WAITING_SCRIPT_NAME, waitingPage } from './waiting_page.ts';

/** The path of the console at the gateway. */
export const CONSOLE_PATH = '/console/';

/** Matches a host with its port. It keeps other characters of a request's header `host` out of the policy. */
const HOST = /^[a-z0-9.:[\]-]{1,255}$/i;

interface ConsoleOptions {
  apiUrl: string;
  publishableKey: string;
  /** Called with the reason if the console could not be built. */
  log: (line: string) => void;
  /** Returns the folder with the built console, or throws the reason why there is none. `signal` ends the build. */
  build?: (signal: AbortSignal) => Promise<string>;
}

/** The console of a local stack, as static files. */
export interface ConsoleServer {
  /** Begins to build the console, unless a build has already begun. Returns at once and never throws. */
  build: () => void;
  /** Answers a request whose path begins with /console. */
  handle: (request: IncomingMessage, response: ServerResponse, path: string) => void;
  /** Ends a build that is under way. */
  close: () => Promise<void>;
}

type State =
  | { name: 'not asked for' | 'building' }
  | { name: 'ready'; files: Map<string, ConsoleFile> }
  | { name: 'failed'; error: string };

/**
 * Serves the console under /console/. The console is built on the first request, so that a stack without visitors
 * builds nothing.
 */
export function makeConsoleServer(options: ConsoleOptions): ConsoleServer {
  const { apiUrl, publishableKey, log, build: buildFiles = buildConsole } = options;
  const closing = new AbortController();
  const config = JSON.stringify({ url: apiUrl, key: publishableKey });
  let state: State = { name: 'not asked for' };
  let building: Promise<void> = Promise.resolve();

  const build = () => {
    if (state.name !== 'not asked for' || closing.signal.aborted) return;
    state = { name: 'building' };
    building = buildFiles(closing.signal).then(listConsoleFiles).then(
      (files) => void (state = { name: 'ready', files }),
      (error: unknown) => {
        if (closing.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        state = { name: 'failed', error: message };
        log(`The console could not be built; the rest of the stack works.\n${message}`);
      },
    );
  };

  /**
   * The policy allows only scripts of the build. Storage has the same origin, so the whole origin would include files
   * that users have uploaded.
   */
  const headersFor = ({ headers: { host = '' } }: IncomingMessage) => {
    const scripts = `${HOST.test(host) ? host : new URL(apiUrl).host}${CONSOLE_PATH}${ASSETS}`;
    return {
      'content-security-policy': `${contentSecurityPolicy({ apiUrl, scripts })}; ${FRAME_POLICY}`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
  };

  const answer = (response: ServerResponse, status: number, contentType: string, body: string) => {
    response.writeHead(status, {
      ...headersFor(response.req),
      'content-type': contentType,
      'cache-control': 'no-store',
    });
    response.end(response.req.method === 'HEAD' ? undefined : body);
  };
  const answerPage = (response: ServerResponse, status: number, body: string) =>
    answer(response, status, 'text/html; charset=utf-8', body);

  const sendFile = (response: ServerResponse, { path, contentType, isImmutable }: ConsoleFile) => {
    const cacheControl = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
    const file = createReadStream(path);
    file.once('open', () => {
      response.writeHead(200, {
        ...headersFor(response.req),
        'content-type': contentType,
        'cache-control': cacheControl,
      });
      if (response.req.method === 'HEAD') response.end();
      else file.pipe(response);
    });
    // The file is missing, because the build was deleted while the stack was running.
    file.once('error', () => answerPage(response, 500, failurePage(`${path} is gone.`)));
    response.once('close', () => file.destroy());
  };

  return {
    build,
    async close() {
      closing.abort();
      await building;
    },
    handle(request, response, path) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        return answer(response, 405, 'text/plain; charset=utf-8', 'The console is read by GET.\n');
      }
      if (!path.startsWith(CONSOLE_PATH)) {
        response.writeHead(308, { location: CONSOLE_PATH });
        return void response.end();
      }
      const name = path.slice(CONSOLE_PATH.length);
      if (name === 'config.json') return answer(response, 200, 'application/json; charset=utf-8', config);
      if (name === WAITING_SCRIPT_NAME) return answer(response, 200, 'text/javascript; charset=utf-8', WAITING_SCRIPT);
      build();
      if (state.name === 'failed') return answerPage(response, 500, failurePage(state.error));
      if (state.name !== 'ready') {
        response.setHeader('retry-after', '1');
        return answerPage(response, 503, waitingPage(CONSOLE_PATH));
      }
      const file = state.files.get(name);
      if (file !== undefined) return sendFile(response, file);
      // A missing file in assets/ belongs to an older build. Every other path names a page, and the console resolves
      // it.
      if (name.startsWith(ASSETS)) return answer(response, 404, 'text/plain; charset=utf-8', 'No such file.\n');
      sendFile(response, state.files.get('index.html')!);
    },
  };
}
