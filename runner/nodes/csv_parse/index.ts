import { readField, readFieldOr, toBoolean, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { runSandboxed } from '../../threads/run_script.ts';
import definition from './definition.json' with { type: 'json' };

/** Reads rows from a text of comma-separated values, in the sandbox. */
export const csvParseNode: NodeModule = {
  definition,
  run: (call) => {
    readField(call.inputs, 'text', toText);
    readFieldOr(call.inputs, 'header', true, toBoolean);
    readFieldOr(call.inputs, 'delimiter', ',', toText);
    return runSandboxed(call, {
      library: 'csv',
      source: 'return { rows: library.parse(text, header ?? true, delimiter ?? ",") };',
      hasClock: false,
      hasRandom: false,
    });
  },
};
