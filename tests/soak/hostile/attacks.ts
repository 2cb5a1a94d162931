import { randomBytes, randomUUID } from 'node:crypto';
import type { StartResult } from '../../../types/deployment.ts';
import { FlowBuilder, textFlow } from '../../support/flow_builder.ts';
import { DEFAULT_PRESSURE } from '../options.ts';
import { type Attack, runInTurn } from './attack.ts';
import type { Attacker, Outcome } from './attacker.ts';
import { computingAttacks } from './computing_attacks.ts';
import { describedAttacks } from './described_attacks.ts';
import { editorAttacks } from './editor_attacks.ts';
import { fileAttacks } from './file_attacks.ts';
import { inventedCredentials, madeUpKey } from './invented_credentials.ts';
import { leaveOpen } from './leave_open.ts';
import { mcpAttacks } from './mcp_attacks.ts';
import { modelAttacks } from './model_attacks.ts';
import { nodeAttacks } from './node_attacks.ts';
import { restAttacks } from './rest_attacks.ts';

/** Digits for which a backtracking pattern needs minutes. */
const LONG_NUMBER = `${'1'.repeat(150_000)}x`;

const json = JSON.stringify;

/** The largest limits of a deployment, so that they do not stop an attack. */
const NO_LIMITS = { max_starts_per_minute: 2_147_483_647, max_runs_in_flight: 2_147_483_647 };

/** A flow with this many parallel requests to a path of the hostile server. */
function askingFlow({ hostileUrl }: Attacker, path: string, times = 1): FlowBuilder {
  const flow = new FlowBuilder();
  for (let index = 0; index < times; index++) {
    flow.use('http_request', {}, { form: { url: `${hostileUrl}${path}`, method: 'GET' }, title: `ask ${index}` });
  }
  return flow;
}

const constant = (tag: 'F' | 'D' | 'U') => {
  const flow = new FlowBuilder();
  // SAFETY: the value is wrong for its tag on purpose.
  flow.output('out', flow.constant({ [tag]: LONG_NUMBER } as never));
  return flow;
};

function scriptFlow(source: string): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.script(source, {}).output('u'));
  return flow;
}

/** Scripts that take far more time than their few operations suggest. */
const SCRIPTS = [
  'loop {}',
  'let s = "x"; s.pad(49000, " "); s += "x"; let n = 0; while n < 1000000 { let t = s; t.trim(); n += 1; } n',
  'let s = "1"; s.pad(49000, "1"); s += "x"; let n = 0; while n < 1000000 { try { s.parse_float(); } catch {} n += 1; } n',
  'let a = []; a.pad(9000, 1); let n = 0; while n < 1000000 { let b = a; b.sort(); n += 1; } n',
];

/** A flow with many edges into one input. The input has a long name, which each finding repeats. */
function longNamedFlow(): { nodes: unknown[]; edges: unknown[] } {
  const flow = new FlowBuilder();
  const from = flow.json(1);
  const name = 'n'.repeat(100_000);
  const into = flow.node('print', { inputs: [name] }).input(name);
  for (let index = 0; index < 1_000; index++) flow.connect(from, into);
  return flow.row();
}

/** A definition with many wrong ports with long names. */
function wrongDefinition(): string {
  const name = 'n'.repeat(100_000);
  const targets = Array.from(
    { length: 3_000 },
    (_, index) => ({ name: index % 2 === 0 ? name.slice(0, 60) : 7, type_bounds: 1 }),
  );
  return json({
    type: 'native',
    data: { node_id: name, version: '0.1', display_name: 'wrong' },
    sources: [{ name, type: 'free' }, { name, type: 'free' }],
    targets,
  });
}

/** A flow with one node of many inputs. */
function wideFlow(calledId: number): FlowBuilder {
  const flow = new FlowBuilder();
  flow.node('interflow', { inputs: Array.from({ length: 40_000 }, (_, index) => `i${index}`), form: { id: calledId } });
  return flow;
}

/**
 * A flow with a history of about 8 MiB, which is the most that constants of one flow can make. After a wait, a worker
 * reads the history again.
 */
function largeHistoryFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const parts = Array.from(
    { length: 9 },
    (_, index) => flow.constant({ S: String.fromCharCode(97 + index).repeat(900_000) }),
  );
  flow.output('out', flow.wait(flow.json(1), 20_000, parts.at(-1)!));
  return flow;
}

const sleepingFlow = (ms: number): FlowBuilder => {
  const flow = new FlowBuilder();
  flow.output('out', flow.wait(flow.json(1), ms));
  return flow;
};

/** Announces a body, and sends only its beginning. */
const announceBody = (attacker: Attacker): Promise<Outcome> =>
  leaveOpen(attacker, [
    `POST /functions/v1/deployment/start?id=${randomUUID()} HTTP/1.1`,
    `authorization: Bearer ${madeUpKey()}`,
    'content-type: application/json',
    'content-length: 1000000',
  ], '{');

/** Sends nearly a megabyte of a body, and then nothing. */
const sendMostOfBody = (attacker: Attacker): Promise<Outcome> =>
  leaveOpen(attacker, [
    'POST /rest/v1/nodes HTTP/1.1',
    `apikey: ${attacker.publishableKey}`,
    'content-type: application/json',
    'content-length: 1048576',
  ], `{"data":"${'x'.repeat(1_000_000)}`);

/** Makes a run with an output of about 7 MiB. Returns its id after its end. */
async function runWithLargeOutput(attacker: Attacker): Promise<string> {
  const flow = new FlowBuilder();
  for (let part = 0; part < 8; part++) flow.output(`part${part}`, flow.constant({ S: `${part}`.repeat(900_000) }));
  const { flow_run_id } = JSON.parse((await attacker.run(await attacker.store(flow))).body);
  const output = await attacker.read(`/functions/v1/flow/output/${flow_run_id}`);
  if (output.status !== 200) throw new Error(`the large output is not there: ${output.status}`);
  return flow_run_id;
}

/** Makes a JSON list of this many bytes, whose values take many times as much memory. */
const listOf = (bytes: number): string => `[${'0,'.repeat(bytes / 2 - 1)}0]`;

/** The milliseconds for which an attack holds a stream of events. */
const STREAM_MS = 10_000;

/**
 * Opens this many streams of the runs' events, with only the runs' tokens, and holds them. Returns the outcome of the
 * last one.
 */
async function holdStreams({ apiUrl, signal }: Attacker, runs: StartResult[], count: number): Promise<Outcome> {
  const hold = async ({ flow_run_id, token }: StartResult): Promise<Outcome> => {
    let status: Outcome['status'] = 'none';
    try {
      const response = await fetch(`${apiUrl}/functions/v1/flow/events/${flow_run_id}`, {
        headers: { 'x-flow-run-token': token },
        signal: AbortSignal.any([signal, AbortSignal.timeout(STREAM_MS)]),
      });
      status = response.status;
      await response.text();
    } catch {
      // This attack itself causes the error.
    }
    return { status, bytes: 0, body: '' };
  };
  const outcomes = await Promise.all(Array.from({ length: count }, (_, index) => hold(runs[index % runs.length]!)));
  return outcomes.at(-1)!;
}

/** All known attacks. */
export const attacks: Attack[] = [
  {
    name: 'numbers that no pattern should look at, without a credential',
    lanes: 4,
    prepare: async ({ send }) => {
      const body = json({ inputs: { a: { F: LONG_NUMBER }, b: { D: LONG_NUMBER }, c: { U: LONG_NUMBER } } });
      const headers: { [name: string]: string }[] = [{}, { authorization: `Bearer ${madeUpKey()}` }];
      let count = 0;
      return () => send(`/functions/v1/deployment/start?id=${randomUUID()}`, body, headers[count++ % 2]);
    },
  },
  {
    name: 'bodies as deep and as wide as they may be, without a credential',
    lanes: 2,
    prepare: async ({ send }) => {
      const levels = 150_000;
      const bodies = [
        `{"inputs":${'{"a":{"A":['.repeat(levels / 2)}`,
        `{"inputs":{"a":${'{"A":['.repeat(levels)}${']}'.repeat(levels)}}}`,
        `{${Array.from({ length: 60_000 }, (_, index) => `"m${index}":0`).join()}}`,
      ];
      let count = 0;
      return () => send('/functions/v1/deployment/start?id=x', bodies[count++ % bodies.length], {});
    },
  },
  {
    name: 'constants that are not numbers',
    lanes: 2,
    prepare: (attacker) => runInTurn(attacker, [constant('F'), constant('D'), constant('U')]),
  },
  { name: 'scripts that never end', lanes: 4, prepare: (attacker) => runInTurn(attacker, SCRIPTS.map(scriptFlow)) },
  {
    name: 'answers that inflate, drip, nest and swell',
    lanes: 2,
    prepare: (attacker) =>
      runInTurn(
        attacker,
        ['/gzip', '/deflate', '/chunks', '/deep', '/members'].map((path) => askingFlow(attacker, path, 40)),
      ),
  },
  {
    name: 'servers that stay silent',
    lanes: 4,
    strikes: 200,
    prepare: (attacker) => runInTurn(attacker, [askingFlow(attacker, '/silent')]),
  },
  {
    name: 'runs that only wait',
    lanes: 8,
    strikes: 600,
    prepare: (attacker) => runInTurn(attacker, [sleepingFlow(9_000), sleepingFlow(60_000)]),
  },
  {
    name: 'runs with large histories',
    lanes: 2,
    strikes: 8,
    prepare: (attacker) => runInTurn(attacker, [largeHistoryFlow()]),
  },
  {
    name: 'flows whose findings are long',
    lanes: 2,
    prepare: async (attacker) => {
      const id = await attacker.store(longNamedFlow());
      return () => attacker.deploy(id);
    },
  },
  {
    name: 'definitions with thousands of faults',
    lanes: 2,
    prepare: async ({ send }) => {
      const body = wrongDefinition();
      return () => send('/rest/v1/nodes', body);
    },
  },
  {
    name: 'graphs of forty thousand inputs',
    lanes: 2,
    prepare: async (attacker) => {
      const id = await attacker.store(wideFlow(await attacker.store(sleepingFlow(0))));
      return () => attacker.run(id);
    },
  },
  {
    name: 'rows without end',
    lanes: 2,
    prepare: async ({ send }) => () =>
      send('/rest/v1/flows', json(Array.from({ length: 100 }, () => ({ name: 'one of many' })))),
  },
  {
    name: 'starts under a made-up public key each',
    lanes: 4,
    prepare: async (attacker) => {
      const id = await attacker.deployForAnybody(textFlow(), NO_LIMITS);
      return () =>
        attacker.send(`/functions/v1/deployment/start?id=${id}`, '{}', { authorization: `Bearer ${madeUpKey()}` });
    },
  },
  {
    name: 'invented credentials, another each time',
    lanes: 100,
    prepare: ({ send }) => {
      let count = 0;
      return Promise.resolve(() => {
        const headers = inventedCredentials[count++ % inventedCredentials.length]!();
        return send(`/functions/v1/deployment/start?id=${randomUUID()}`, '{}', headers);
      });
    },
  },
  {
    name: 'starts of a public deployment that tells a silent address of each end',
    lanes: 4,
    strikes: 10_000,
    prepare: async (attacker) => {
      const id = await attacker.deployForAnybody(textFlow(), {
        on_end: { url: `${attacker.hostileUrl}/silent`, events: ['succeeded', 'failed', 'stopped'] },
        ...NO_LIMITS,
      });
      return () =>
        attacker.send(`/functions/v1/deployment/start?id=${id}`, '{}', { authorization: `Bearer ${madeUpKey()}` });
    },
  },
  {
    name: 'patterns that take long, without a credential',
    lanes: 22,
    prepare: ({ send }) => {
      const query = `select=id&data->>description=match.${encodeURIComponent('(.+)(.+)(.+)(.+)\\4\\3\\2\\1$')}`;
      return Promise.resolve(() => send(`/rest/v1/nodes?${query}`, undefined, {}, 'GET'));
    },
  },
  {
    name: 'streams of events, with run tokens only',
    lanes: 10,
    prepare: async (attacker) => {
      const runs: StartResult[] = [];
      for (let count = 0; count < 4; count++) {
        const id = await attacker.deployForAnybody(sleepingFlow(600_000));
        const headers = { authorization: `Bearer ${madeUpKey()}` };
        const { body } = await attacker.send(`/functions/v1/deployment/start?id=${id}`, '{}', headers);
        runs.push(JSON.parse(body) as StartResult);
      }
      return () => holdStreams(attacker, runs, 100);
    },
  },
  {
    name: 'webhooks under a made-up token each, with a megabyte of numbers',
    lanes: 2,
    prepare: ({ send }) => {
      const body = `[${'1234567,'.repeat(130_000)}1]`;
      return Promise.resolve(() =>
        send(`/functions/v1/deployment/hook/fh_${randomBytes(32).toString('base64url')}`, body, {})
      );
    },
  },
  {
    name: 'an owner who fills the queue',
    lanes: 4,
    strikes: 3_000,
    prepare: (attacker) => runInTurn(attacker, [sleepingFlow(0)]),
  },
  {
    name: 'bodies that are announced and never sent',
    lanes: 8,
    prepare: async (attacker) => () => announceBody(attacker),
  },
  {
    name: 'rows beyond each quota, one at a time',
    lanes: 2,
    prepare: async ({ send }) => {
      const asks = [
        () => send('/rest/v1/rpc/create_api_key', json({ name: 'one more' })),
        () =>
          send('/functions/v1/wallets/upsert', json({ type: 'ADAPTER', name: 'one more', public_key: madeUpKey() })),
        () => send('/rest/v1/flows', json({ name: 'one more' })),
      ];
      let count = 0;
      return () => asks[count++ % asks.length]!();
    },
  },
  {
    name: 'bodies of 30 MiB with the public key',
    lanes: 4,
    prepare: async ({ send }) => {
      const body = `{"name":"large","nodes":${listOf(30 * 1_048_576)}}`;
      return () => send('/rest/v1/flows', body, {});
    },
  },
  {
    name: 'bodies of a megabyte of small values with the public key',
    lanes: 4,
    prepare: async ({ send }) => {
      const body = `{"data":${listOf(1_040_000)}}`;
      return () => send('/rest/v1/nodes', body, {});
    },
  },
  {
    name: 'flows of 8 MiB',
    lanes: 4,
    prepare: async ({ send }) => {
      const body = `{"name":"large","nodes":${listOf(8_000_000)}}`;
      return () => send('/rest/v1/flows', body);
    },
  },
  {
    name: 'bodies of which a megabyte comes, and never the end',
    lanes: 8,
    prepare: async (attacker) => () => sendMostOfBody(attacker),
  },
  {
    name: 'large answers that nobody reads',
    lanes: 8,
    prepare: async (attacker) => {
      const id = await runWithLargeOutput(attacker);
      const head = [
        `GET /rest/v1/flow_run?select=output&id=eq.${id} HTTP/1.1`,
        `apikey: ${attacker.publishableKey}`,
        `authorization: ${attacker.authorization}`,
      ];
      return () => leaveOpen(attacker, head, '', 'the beginning');
    },
  },
  {
    name: 'sign-ups without end',
    lanes: 4,
    prepare: async ({ send }) => () =>
      send('/auth/v1/signup', json({ email: `${randomUUID()}@example.com`, password: randomUUID() }), {}),
  },
  ...nodeAttacks,
  ...editorAttacks,
  ...computingAttacks,
  ...restAttacks,
  ...fileAttacks,
  ...mcpAttacks,
  ...describedAttacks,
  ...modelAttacks,
];

/**
 * Returns the attacks whose names contain a text; all of them without one. Each attack has at least one lane; the
 * number of its lanes is proportional to the pressure. Throws if no name matches.
 */
export function chooseAttacks(pressure: number, only = ''): Attack[] {
  const chosen = attacks.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) {
    throw new Error(`no attack's name holds "${only}"; there are:\n  ${attacks.map(({ name }) => name).join('\n  ')}`);
  }
  return chosen.map((attack) => ({
    ...attack,
    lanes: Math.max(1, Math.round(attack.lanes * pressure / DEFAULT_PRESSURE)),
  }));
}
