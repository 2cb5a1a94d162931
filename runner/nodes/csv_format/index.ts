import { readField, readFieldOr, toArray, toBoolean, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { runSandboxed } from '../../threads/run_script.ts';
import definition from './definition.json' with { type: 'json' };

/** Writes rows as a text of comma-separated values, in the sandbox. */
export const csvFormatNode: NodeModule = {
  definition,
  run: (call) => {
    readField(call.inputs, 'rows', toArray);
    readFieldOr(call.inputs, 'columns', [], toArray);
    readFieldOr(call.inputs, 'header', true, toBoolean);
    readFieldOr(call.inputs, 'delimiter', ',', toText);
    return runSandboxed(call, {
      library: 'csv',
      source: 'return { text: library.format(rows, columns, header ?? true, delimiter ?? ",") };',
      hasClock: false,
      hasRandom: false,
    });
  },
};
