import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { ApiError, apiError } from './api_error.ts';
import { readQuery } from './body.ts';

/** One route of an Edge Function; paths are relative to the function's own. */
export interface Route<Query extends z.ZodObject = z.ZodObject> {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** The query that it takes, none by default; `any` where strangers' clients send requests, who may add what they like. */
  query?: Query | 'any';
  /** Answers a request; `query` is in the schema's form. */
  handle(context: Context, query: z.output<Query>): Promise<Response>;
}

/** A route with a query: its handler takes what the schema gives. */
export const withQuery = <Query extends z.ZodObject>(route: Route<Query> & { query: Query }): Route => route;

const NO_QUERY = z.object({});

/** An Edge Function, as the platform serves it. */
export interface App {
  fetch: (request: Request) => Promise<Response>;
  /** What docs/reference/openapi.json must describe: its routes, with their whole paths. */
  routes: Pick<Route, 'method' | 'path'>[];
}

/** A path for the log, where tokens such as that of a webhook must not stand. */
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

/** The CORS headers of every answer: pages of any origin may read it. */
const CORS_HEADERS = Object.entries({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, etag',
});

/**
 * Makes an Edge Function of its routes. It answers CORS preflights, and 404 and 405 in the project's error shape. An
 * unexpected error reaches the log only, since it may name what a caller must not know.
 */
export function makeApp(name: string, routes: Route[]): App {
  const app = new Hono().basePath(`/${name}`);
  // For preflights only: as a middleware, cors() would copy every other answer, with a stream for its body. It has no
  // list of allowed headers, so it allows all that a page asks for. That is safe, because no cookie counts here.
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
