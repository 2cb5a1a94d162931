import type { RunRow } from 'flow-deployments-client';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { Section } from '../shared/page/section.tsx';
import { ValueView } from '../shared/value_view.tsx';
import { decodeTransaction } from '../shared/wallet/wallet_transaction.ts';
import { RunFailure } from './run_failure.tsx';
import { SendTransaction } from './send_transaction.tsx';

/** Splits the output of a run into its unsent transaction and the rest. */
function readOutput({ output_instructions, output }: RunRow): { wire: Uint8Array | undefined; rest: unknown } {
  const { transaction, ...others } = objectAt(output, 'M');
  const text = output_instructions ? objectAt(transaction).S : undefined;
  const wire = typeof text === 'string' ? decodeTransaction(text) : undefined;
  if (wire === undefined) return { wire, rest: output };
  return { wire, rest: Object.keys(others).length === 0 ? null : { M: others } };
}

/** The output of an ended run, or its errors. An unsent transaction in the output can be signed and sent. */
export function RunResult({ run, cluster }: { run: RunRow; cluster: string }) {
  const { wire, rest } = readOutput(run);
  return (
    <>
      <RunFailure status={run.status} errors={run.errors} />
      {wire !== undefined && <SendTransaction runId={run.id} wire={wire} cluster={cluster} />}
      {rest !== null && !(run.status === 'failed' && Object.keys(objectAt(rest, 'M')).length === 0) && (
        <Section title='Result'>
          <ValueView value={rest} />
        </Section>
      )}
    </>
  );
}
