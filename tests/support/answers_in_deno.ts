import { Buffer } from 'node:buffer';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { type FlowScript, warnOfScripts } from '../../functions/flow/script_warnings.ts';
import { makeBodyWriter } from '../../runner/reach/response_body.ts';
import { scriptsFlow } from './computing_flows.ts';
import { claimFlow } from './execute_flow.ts';

// Computes, and prints how many requests a server of this process answered meanwhile, one after the other.

interface Server {
  addr: { port: number };
  shutdown: () => Promise<void>;
}
const { serve } = (globalThis as unknown as {
  Deno: { serve: (options: object, answer: () => Response) => Server };
}).Deno;

const MIB = 1_048_576;

async function inflate(bodies = 8, bytes = 32 * MIB, stall = () => {}): Promise<void> {
  const body = gzipSync(Buffer.alloc(bytes));
  await Promise.all(Array.from({ length: bodies }, async () => {
    const writer = makeBodyWriter({ 'content-encoding': 'gzip' }, bytes, () => void stall());
    await writer.write(body);
    const { length } = await writer.end();
    writer.discard();
    if (length !== bytes) throw new Error(`${length} bytes were inflated`);
  }));
}

/** Inflates as on a busy machine: the process stands still for 4 ms after each piece of 16 KiB. */
const inflateSlowly = () =>
  inflate(1, 8 * MIB, () => {
    const end = performance.now() + 4;
    while (performance.now() < end);
  });

/** Parses the expressions of two deploys. */
async function parse(): Promise<void> {
  const scripts = Array.from({ length: 1_000 }, (_, index): FlowScript => ({
    flow_id: 7,
    index,
    node_id: `${index}`,
    language: 'jsonata',
    inputs: [],
    source: `[${'a.b[0] & "c",'.repeat(30)} 1]`,
  }));
  const read = { as_of: {}, scripts, scripts_left_out: 0, flows_left_out: 0 };
  await Promise.all([warnOfScripts('a', 7, read), warnOfScripts('a', 7, read)]);
}

/** Executes a run of many different scripts, where the runtime has no threads. */
async function run(): Promise<void> {
  const { result } = await claimFlow(scriptsFlow(100));
  if (result.status !== 'succeeded') throw new Error(`the run ${result.status}`);
}

const work = { inflate: () => inflate(), 'inflate slowly': inflateSlowly, parse, run }[process.argv[2]!]!;
const server = serve({ port: 0, hostname: '127.0.0.1', onListen: () => {} }, () => new Response('answered'));
const ask = async () => await (await fetch(`http://127.0.0.1:${server.addr.port}/`)).text();
await ask();
let isOver = false;
let answered = 0;
const asking = (async () => {
  for (; !isOver; answered++) await ask();
})();
await work();
isOver = true;
console.log(JSON.stringify(answered));
await asking;
await server.shutdown();
