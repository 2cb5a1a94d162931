import { readField, readFieldOr, toBoolean, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { runSandboxed } from '../../threads/run_script.ts';
import definition from './definition.json' with { type: 'json' };

/** Replaces the placeholders of a text by values. The library Mustache does this in the sandbox. */
export const textTemplateNode: NodeModule = {
  definition,
  run: (call) => {
    readField(call.inputs, 'template', toText);
    readFieldOr(call.inputs, 'html', false, toBoolean);
    return runSandboxed(call, {
      library: 'mustache',
      source: 'return { text: library(template, data, html === true) };',
      hasClock: false,
      hasRandom: false,
    });
  },
};
