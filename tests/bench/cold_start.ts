import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { functionNames, projectFunctionsDir, startFunction } from '../../dev/stack/functions.ts';
import type { ToolPage } from '../../types/deployment_description.ts';
import { startCliDeploy } from '../hosted/cli_deploy.ts';
import { benchFunctionsDir } from './bench_stack.ts';
import { makePart, type Part } from './figure.ts';
import { npmGraphBytes } from './npm_graph.ts';
import { type Plan, takeRounds } from './plan.ts';
import { median } from './statistics.ts';

/** The number of starts in a round. The round's result is their median. */
const STARTS = 3;
/** The pause between two requests to a process that does not listen yet. */
const POLL_MS = 1;

/** The first request to a function, and the status of its answer. */
interface FirstRequest {
  name: string;
  functionsDir?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  /** The address of the database's API. By default, no server listens there. */
  supabaseUrl?: string;
}

/** Returns the status of an answer; undefined if nothing listens. */
const ask = (socketPath: string, { path, headers, body }: FirstRequest): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request({ socketPath, path, headers, method: 'POST' }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    sent.once('error', () => resolve(undefined));
    sent.end(body);
  });

/** Returns the milliseconds from the start of a function's process to its first answer. */
async function firstAnswer(first: FirstRequest): Promise<number> {
  const { name, functionsDir = projectFunctionsDir, status, supabaseUrl = 'http://127.0.0.1:9' } = first;
  const dir = mkdtempSync(join(tmpdir(), 'flow-cold-'));
  const socketPath = join(dir, 'function.sock');
  // The variables that the functions read when they are loaded.
  const env = { SUPABASE_URL: supabaseUrl, SUPABASE_ANON_KEY: 'anon', SUPABASE_SERVICE_ROLE_KEY: 'service_role' };
  const began = performance.now();
  const part = startFunction({ name, functionsDir, socketPath, env, watch: false, onLine: () => {} });
  try {
    for (;;) {
      const answered = await Promise.race([ask(socketPath, first), part.exited]);
      if (answered === status) return performance.now() - began;
      if (answered !== undefined) throw new Error(`function ${name} answered ${answered}, not ${status}`);
      await Promise.race([setTimeout(POLL_MS), part.exited.then(() => Promise.reject(new Error(part.describeExit())))]);
    }
  } finally {
    await part.stop();
    rmSync(dir, { recursive: true });
  }
}

async function medianOf(work: () => Promise<number>): Promise<number> {
  const times = [];
  for (let start = 0; start < STARTS; start++) times.push(await work());
  return median(times);
}

/**
 * Measures the bytes of each function's upload, and of the npm packages that it imports. The baseline is the npm
 * packages of an empty function, which imports supabase-js.
 */
async function measureSizes(): Promise<Part[]> {
  const baseline = await npmGraphBytes(join(benchFunctionsDir, 'empty/index.ts')) / 1_024;
  const cli = await startCliDeploy();
  const parts: Part[] = [];
  try {
    for (const name of functionNames()) {
      const [upload] = await cli.deploy(name);
      const bytes = [...upload!.files.values()].reduce((sum, file) => sum + file.byteLength, 0);
      const graph = await npmGraphBytes(join(projectFunctionsDir, name, 'index.ts'));
      const against = (what: string, measured: number) =>
        makePart({
          name: `${what} of ${name}, against the npm graph of supabase-js`,
          unit: 'KiB',
          rounds: [{ measured: measured / 1_024, baseline }],
        });
      parts.push(against('upload', bytes), against('npm graph', graph));
    }
  } finally {
    await cli.close();
  }
  return parts;
}

/** A page of tools, as the database gives it. */
const PAGE: ToolPage = {
  tools: Array.from({ length: 10 }, (_, index) => ({
    name: `tool_${index}`,
    description: 'Adds two numbers.',
    deployment_id: randomUUID(),
    has_effects: false,
    inputs: [{
      name: 'a',
      description: '',
      type_bounds: ['u64'],
      required: true,
      default: null,
      json_schema: { type: 'integer', minimum: 0 },
    }],
    outputs: [{ name: 'sum', type: 'u64' }],
  })),
};

const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Works with a server that answers every request as the database answers `list_tools`. */
async function withToolPage<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer((asked, answer) => {
    asked.resume();
    answer.setHeader('content-type', 'application/json').end(JSON.stringify(PAGE));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

/**
 * Measures the sizes of the functions, and the time from the start of a process to its first answer. These answers need
 * no database, but for the list of tools.
 */
export async function measureColdStart(plan: Plan): Promise<Part[]> {
  const empty = () =>
    medianOf(() => firstAnswer({ name: 'empty', functionsDir: benchFunctionsDir, path: '/', status: 200 }));
  const against = async (name: string, goal: number, first: FirstRequest): Promise<Part> => {
    const measure = () => medianOf(() => firstAnswer(first));
    await measure();
    await empty();
    const rounds = await takeRounds(plan.rounds, measure, empty);
    return makePart({ name: `first ${name} against an empty function`, unit: 'ms', goal, rounds });
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': `fk_${'a'.repeat(43)}`,
  };
  const mcp = { name: 'mcp', path: '/mcp', body: LIST_TOOLS };
  return [
    await against('answer of deployment', 1.3, { name: 'deployment', path: '/deployment/start?id=none', status: 400 }),
    await against('refusal of mcp', 1.4, { ...mcp, status: 401 }),
    await withToolPage((supabaseUrl) =>
      against('tools/list of mcp', 2.5, { ...mcp, headers, status: 200, supabaseUrl })
    ),
    ...await measureSizes(),
  ];
}
