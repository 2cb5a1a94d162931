import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { ApiError, apiError } from '../../platform/api_error.ts';
import { readQuery } from './body.ts';

/** One route of an Edge Function. The route's path is relative to the path of the function. */
interface Route<Query extends z.ZodObject = z.ZodObject> {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /**
   * The schema of the query; by default no parameter is allowed. With `any`, the query is ignored, because senders of
   * webhooks and wallets add parameters of their own.
   */
  query?: Query | 'any';
  /** Answers a request; `query` is already parsed by the schema. */
  handle(context: Context, query: z.output<Query>): Promise<Response>;
}

/** Types a route with a query, so that its handler receives the parsed query. */
export const withQuery = <Query extends z.ZodObject>(route: Route<Query> & { query: Query }): Route => route;

const NO_QUERY = z.object({});

/** An Edge Function, as the platform serves it. */
export interface App {
  fetch: (request: Request) => Promise<Response>;
  /** The routes with their whole paths. docs/reference/openapi.json must describe each of them. */
  routes: Pick<Route, 'method' | 'path'>[];
}

/** Removes tokens, such as a webhook's token, from a path before it is logged. */
const withoutTokens = (path: string): string => path.replace(/\/(f[a-z]_)[\w-]+/g, '/$1…');

const answerError = (context: Context, error: ApiError): Response => {
  if (error.status >= 500) {
    console.error(
      `${context.req.method} ${withoutTokens(context.req.path)}`,
      error.cause ?? error,
    );
  }
  return context.json(
    error.toBody(),
    error.status as ContentfulStatusCode,
    error.headers,
  );
};

/** The CORS headers of every answer. They allow pages of any origin to read the answer. */
const CORS_HEADERS = Object.entries({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, etag, preference-applied',
});

/**
 * Makes an Edge Function from its routes. The function also answers CORS preflights. It answers an unknown path with
 * 404 and a wrong method with 405, in the project's error shape. The details of an unexpected error go to the log only,
 * because they may name things that a caller must not know.
 */
export function makeApp(name: string, routes: Route[]): App {
  const app = new Hono().basePath(`/${name}`);
  // cors() is used only for preflights. As a middleware, it would copy every other answer and turn its body into a
  // stream. It gets no list of allowed headers, so it allows every header that a page asks for. A foreign page can't
  // misuse this, because the functions read no cookies.
  app.options(
    '*',
    cors({
      origin: '*',
      allowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
      maxAge: 3600,
    }),
  );
  for (const { method, path, query = NO_QUERY, handle } of routes) {
    app.on(method, path, (context) => handle(context, query === 'any' ? {} : readQuery(context, query)));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const allow = routes.filter((route) => route.path === path).map((route) => route.method).join(', ');
    app.all(path, (context) => {
      throw apiError(
        'method_not_allowed',
        `This route takes ${allow}, not ${context.req.method}.`,
        { headers: { allow } },
      );
    });
  }
  app.notFound((context) =>
    answerError(
      context,
      apiError('route_not_found', `There is no route ${context.req.path}.`),
    )
  );
  app.onError((error, context) =>
    answerError(
      context,
      error instanceof ApiError ? error : apiError('internal', 'Something unexpected happened.', {
        cause: error,
      }),
    )
  );
  return {
    fetch: async (request) => {
      const response = await app.fetch(request);
      for (const [name, value] of CORS_HEADERS) response.headers.set(name, value);
      return response;
    },
    routes: routes.map(({ method, path }) => ({ method, path: `/${name}${path === '/' ? '' : path}` })),
  };
}
