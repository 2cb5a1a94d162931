import { FlowBuilder } from '../../support/flow_builder.ts';
import { type Attack, inTurn, runInTurn } from './attack.ts';
import type { Attacker } from './attacker.ts';

const json = JSON.stringify;

/** A pattern that takes exponential time, and a filter that every PostgREST accepts and that also takes long. */
const BACK_REFERENCES = encodeURIComponent('(.+)(.+)(.+)(.+)\\4\\3\\2\\1$');
const SLOW_FILTERS = [
  `data->>description=match.${BACK_REFERENCES}`,
  `or=(name.imatch(any).{"${BACK_REFERENCES}"},id.is.null)`,
  `data->>description=ilike.${encodeURIComponent(`${'*a'.repeat(100)}*z`)}`,
];

/** A flow whose output has this many bytes, in parts that constants can hold. */
function outputFlow(bytes: number): FlowBuilder {
  const flow = new FlowBuilder();
  const parts = Math.ceil(bytes / 900_000);
  for (let part = 0; part < parts; part++) {
    flow.output(`part${part}`, flow.constant({ S: `${part}`.repeat(Math.ceil(bytes / parts)) }));
  }
  return flow;
}

/** Fills key-value stores of the attacker with this many items of 900 KB. */
async function fillStore(attacker: Attacker, items: number): Promise<void> {
  const create = new FlowBuilder();
  create.use('kv_create_store', {}, { form: { store: 'full' } });
  const write = new FlowBuilder();
  write.use('kv_write_item', { key: write.input('key'), value: write.constant({ S: 'v'.repeat(900_000) }) }, {
    form: { store: 'full' },
  });
  const id = await attacker.store(write);
  const ended = async (path: string, inputs: object): Promise<void> => {
    const { body } = await attacker.send(path, json({ inputs }));
    await attacker.read(`/functions/v1/flow/output/${JSON.parse(body).flow_run_id}`);
  };
  await ended(`/functions/v1/flow/start/${await attacker.store(create)}`, {});
  for (let item = 0; item < items; item++) {
    await ended(`/functions/v1/flow/start/${id}`, { key: { S: `item ${item}` } });
  }
}

/** Attacks by large results, and by reads and bodies at PostgREST. */
export const restAttacks: Attack[] = [
  {
    name: 'outputs of 400 KB beside flows of 8 MB',
    lanes: 8,
    prepare: async (attacker) => {
      const run = await runInTurn(attacker, [outputFlow(400_000)]);
      const body = `{"name":"large","nodes":[${'0,'.repeat(3_999_999)}0]}`;
      return inTurn([run, () => attacker.send('/rest/v1/flows', body)]);
    },
  },
  { name: 'outputs of 7 MB', lanes: 4, prepare: (attacker) => runInTurn(attacker, [outputFlow(7_000_000)]) },
  {
    name: 'filters that take long, with a token',
    lanes: 12,
    prepare: async ({ read }) => inTurn(SLOW_FILTERS.map((filter) => () => read(`/rest/v1/nodes?select=id&${filter}`))),
  },
  {
    name: 'reads of a full key-value store',
    lanes: 8,
    prepare: async (attacker) => {
      await fillStore(attacker, 100);
      return () => attacker.read('/rest/v1/kv_items?select=*');
    },
  },
];
