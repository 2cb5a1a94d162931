import type { Sql } from '../../supabase/local/postgres.ts';

/** A node of a query plan, as `explain (format json)` gives it. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  Plans?: Plan[];
}

/** The plan of a statement, with what executing it touched. */
export async function explain(sql: Pick<Sql, 'unsafe'>, statement: string): Promise<Plan> {
  const [row] = await sql.unsafe(`explain (analyze, buffers, format json) ${statement}`);
  return (row!['QUERY PLAN'] as [{ Plan: Plan }])[0].Plan;
}

export const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];
