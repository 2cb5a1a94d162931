import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reference of a project that does not exist, and a token in the form that the CLI accepts. */
export const PROJECT_REF = 'abcdefghijklmnopqrst';
export const ACCESS_TOKEN = `sbp_${'0123456789'.repeat(4)}`;

/** The data that the CLI sends with a function's files. */
interface FunctionMetadata {
  name: string;
  entrypoint_path: string;
  import_map_path: string;
  static_patterns: string[];
  verify_jwt: boolean;
}

/** One uploaded function. `files` has its files by path from the project's root. */
export interface Upload {
  slug: string;
  metadata: FunctionMetadata;
  files: Map<string, Uint8Array>;
}

export interface ManagementApi {
  /** The content of a file for the CLI's `--profile`. */
  profile: string;
  /** All uploads so far, in order of arrival. */
  uploads: Upload[];
  /** The slugs in each bulk update. The CLI ends a deploy of several functions with a bulk update. */
  bulkUpdates: string[][];
  /** The names of the secrets that were set. */
  secrets: string[];
  /** All requests, as `GET /v1/…`. */
  requests: string[];
  /** The requests to which this stub has no answer. */
  unknownRequests: string[];
  close: () => Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function readUpload(request: IncomingMessage, slug: string): Promise<Upload> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(await readBody(request)), { headers }).formData();
  const files = new Map<string, Uint8Array>();
  for (const part of form.getAll('file')) {
    if (typeof part === 'string') throw new Error('A file part has no filename');
    files.set(part.name, new Uint8Array(await part.arrayBuffer()));
  }
  return { slug, metadata: JSON.parse(String(form.get('metadata'))) as FunctionMetadata, files };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A project as the API describes it. */
const PROJECT = {
  id: PROJECT_REF,
  ref: PROJECT_REF,
  organization_id: 'stub',
  organization_slug: 'stub',
  name: 'stub',
  region: 'eu-west-1',
  created_at: '2026-01-01T00:00:00Z',
  status: 'ACTIVE_HEALTHY',
  database: { host: `db.${PROJECT_REF}.localhost`, version: '17.4', postgres_engine: '17', release_channel: 'ga' },
};

/**
 * A stub of Supabase's Management API on a free port of loopback. It has the part that a deploy of this project to
 * hosted Supabase uses. The project exists only if `hasProject`; the CLI then writes into supabase/.temp of its working
 * folder.
 */
export async function startManagementApi({ hasProject = false } = {}): Promise<ManagementApi> {
  const uploads: Upload[] = [];
  const bulkUpdates: string[][] = [];
  const secrets: string[] = [];
  const requests: string[] = [];
  const unknownRequests: string[] = [];
  const projectPath = `/v1/projects/${PROJECT_REF}`;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stub');
    if (request.headers.authorization !== `Bearer ${ACCESS_TOKEN}`) {
      return answer(response, 401, { message: 'Unauthorized' });
    }
    requests.push(`${request.method} ${url.pathname}`);
    switch (requests.at(-1)) {
      case `GET ${projectPath}`:
        // `functions deploy` works without this answer.
        return hasProject ? answer(response, 200, PROJECT) : answer(response, 404, { message: 'Project not found' });
      case `GET ${projectPath}/api-keys`:
        return answer(
          response,
          200,
          ['anon', 'service_role'].map((name) => ({ id: name, name, type: 'legacy', api_key: name })),
        );
      case `GET ${projectPath}/config/storage`:
        return answer(response, 404, { message: 'No storage here' });
      case `GET ${projectPath}/config/database/pooler`:
        return answer(response, 200, []);
      case `POST ${projectPath}/secrets`: {
        const set = JSON.parse((await readBody(request)).toString()) as { name: string }[];
        secrets.push(...set.map(({ name }) => name));
        return answer(response, 201, {});
      }
      case `GET ${projectPath}/functions`:
        // The CLI requests this only if config.toml does not set verify_jwt.
        return answer(response, 200, []);
      case `POST ${projectPath}/functions/deploy`: {
        const slug = url.searchParams.get('slug') ?? '';
        uploads.push(await readUpload(request, slug));
        return answer(response, 201, { id: slug, slug, name: slug, status: 'ACTIVE', version: 1 });
      }
      case `PUT ${projectPath}/functions`: {
        const functions = JSON.parse((await readBody(request)).toString()) as { slug: string }[];
        bulkUpdates.push(functions.map(({ slug }) => slug));
        return answer(response, 200, { functions });
      }
      default:
        unknownRequests.push(`${request.method} ${request.url}`);
        return answer(response, 404, { message: 'Not found' });
    }
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => answer(response, 400, { message: error.message }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    profile: [
      'name: stub',
      `api_url: ${origin}`,
      `dashboard_url: ${origin}/dashboard`,
      `docs_url: ${origin}/docs`,
      'project_host: localhost',
      'pooler_host: localhost',
      'studio_image: none',
      '',
    ].join('\n'),
    uploads,
    bulkUpdates,
    secrets,
    requests,
    unknownRequests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
