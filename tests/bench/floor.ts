import { connect } from '../../dev/stack/postgres/postgres.ts';
import type { BenchStack } from './bench_stack.ts';

/**
 * The floor: the lowest cost of a run of three nodes in this database. One loop makes a claim, three inserts and an
 * update.
 */
export function makeFloor({ stack }: BenchStack, connections: number) {
  const sql = connect(stack.superuserUrl, { max: connections });
  const deploymentId = '00000000-0000-7000-8000-000000000001';
  const value = sql.json({ value: { D: '7' } });
  const row = sql.json({ input: { M: { value: { D: '7' } } }, output: { M: { value: { D: '7' } } } });
  /**
   * Claims a message. There is a message for each claim. But other claims may have locked all messages that this claim
   * sees. Then it gets no message, and tries again.
   */
  const claim = async (): Promise<string> => {
    const [claimed] = await sql`select message ->> 'flow_run_id' as id from pgmq.pop('bench')`;
    return claimed?.id ?? await claim();
  };
  const run = async (): Promise<void> => {
    await sql`select bench.start(${deploymentId}::uuid, ${value})`;
    const id = await claim();
    for (let node = 0; node < 3; node++) {
      await sql`insert into bench.node_runs (run_id, node, data) values (${id}, ${node}, ${row})`;
    }
    await sql`update bench.runs set output = ${value}, end_time = clock_timestamp() where id = ${id}`;
  };
  return { run, close: () => sql.end() };
}
